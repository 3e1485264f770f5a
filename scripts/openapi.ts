// Writes docs/openapi.json from the HTTP interface's schemas, and packages/client's types from that.
// `--check` compares instead, and ends with 1 where they differ.
import { readFileSync, writeFileSync } from "node:fs";
import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { openApiText } from "@airlock/console";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const DOCUMENT = path.join(ROOT, "docs/openapi.json");
const TYPES = path.join(ROOT, "packages/client/src/generated/api.ts");
const check = process.argv.includes("--check");

const text = await openApiText();
const old = [read(DOCUMENT), read(TYPES)];
writeFileSync(DOCUMENT, text);
const require = createRequire(path.join(ROOT, "packages/client/package.json"));
const generator = path.join(path.dirname(require.resolve("openapi-typescript/package.json")), "bin/cli.js");
const made = spawnSync(process.execPath, [generator, DOCUMENT, "--output", TYPES], {
  stdio: ["ignore", "ignore", "inherit"],
});
if (made.status !== 0) process.exit(1);
if (check && (read(DOCUMENT) !== old[0] || read(TYPES) !== old[1])) {
  process.stderr.write(
    "docs/openapi.json or the client's types were not those of the schemas; they are now\n",
  );
  process.exit(1);
}

function read(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
