// Writes the tables that repeat the code's into the documents; with --check it writes nothing and fails if one differs.
//   node --conditions=source --import tsx scripts/docs-tables.ts [--check]
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { fillTables } from "./docs-tables/markdown.ts";
import { TABLES } from "./docs-tables/tables.ts";

/** The documents that hold such tables. */
export const DOCUMENTS = [
  "README.md",
  "docs/cli.md",
  "docs/conformance.md",
  "docs/data-flow.md",
  "docs/errors.md",
  "docs/metrics.md",
  "docs/policy.md",
  "docs/redis-users.md",
  "docs/threat-model.md",
  "docs/tools.md",
  "docs/workspaces.md",
] as const;

export function readDocument(name: string): string {
  return readFileSync(placeOf(name), "utf8");
}

/** The documents whose tables are not the code's. */
export function staleDocuments(): readonly string[] {
  return DOCUMENTS.filter((name) => fillTables(readDocument(name), TABLES) !== readDocument(name));
}

function placeOf(name: string): string {
  return fileURLToPath(new URL(`../${name}`, import.meta.url));
}

function main(check: boolean): void {
  const stale = staleDocuments();
  if (check && stale.length > 0) {
    process.stderr.write(`tables differ from the code's: ${stale.join(", ")}\n`);
    process.exitCode = 1;
  }
  if (check) return;
  for (const name of stale) writeFileSync(placeOf(name), fillTables(readDocument(name), TABLES));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main(process.argv.includes("--check"));
