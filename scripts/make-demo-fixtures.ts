// Writes the demo's streams to fixtures/demo; with --check it writes nothing and fails if a file is not what it makes.
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { FAMILIES } from "@airlock/core/wire";
import { composeStream } from "@airlock/replay";
import { CONTRACT, STORIES } from "./demo-fixtures/stories.ts";

const FOLDER = fileURLToPath(new URL("../fixtures/demo/", import.meta.url));

const files: ReadonlyMap<string, string> = new Map([
  ...Object.entries(STORIES).map(
    ([id, turn]) => [`${id}.sse`, composeStream("responses", { id, ...turn })] as const,
  ),
  ...FAMILIES.flatMap((family) =>
    Object.entries(CONTRACT).flatMap(([scenario, turns]) =>
      turns.map((turn, at) => {
        const id = `contract/${family}/${scenario}.${at + 1}`;
        return [`${id}.sse`, composeStream(family, { id, ...turn })] as const;
      }),
    ),
  ),
]);

if (process.argv.includes("--check")) await check();
else await Promise.all([...files].map(([file, text]) => write(join(FOLDER, file), text)));

async function write(file: string, text: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
}

async function check(): Promise<void> {
  const entries = await readdir(FOLDER, { recursive: true });
  const present = entries.filter((file) => file.endsWith(".sse"));
  const names = new Set([...files.keys(), ...present]);
  const wrong: string[] = [];
  for (const file of names) {
    const text = present.includes(file) ? await readFile(join(FOLDER, file), "utf8") : null;
    if (text !== files.get(file)) wrong.push(file);
  }
  if (wrong.length === 0) return;
  process.stderr.write(`not what the script makes: ${wrong.join(", ")}\n`);
  process.exitCode = 1;
}
