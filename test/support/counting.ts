import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import type { ComposedItem } from "@airlock/replay";
import { call } from "./story.ts";

/**
 * Effects that can be counted in the repository itself: each file, run as a test, appends its own name to `effects.log`
 * and then works on for a while.
 */
const COUNTED = ["a", "b", "c", "d", "e", "f", "g", "h"] as const;

export async function writeCountingTests(repository: string): Promise<void> {
  for (const name of COUNTED) {
    const text = [
      'import { appendFileSync } from "node:fs";',
      'import test from "node:test";',
      `test("${name}", async () => {`,
      `  appendFileSync("effects.log", "${name}\\n");`,
      "  await new Promise((resolve) => setTimeout(resolve, Number(process.env.HOLD_MS ?? 100)));",
      "});",
    ];
    await writeFile(path.join(repository, `test/count-${name}.test.js`), text.join("\n"));
  }
  const slow = [
    'import { appendFileSync } from "node:fs";',
    'import test from "node:test";',
    'test("slow", async () => {',
    '  appendFileSync("effects.log", "slow\\n");',
    "  await new Promise((resolve) => setTimeout(resolve, 20_000));",
    "});",
  ];
  await writeFile(path.join(repository, "test/count-slow.test.js"), slow.join("\n"));
}

export function countCall(name: string): ComposedItem {
  return call("run_command", { argv: ["node", "--test", `test/count-${name}.test.js`] });
}

/** How often each effect happened, counted in the run's tree. */
export async function effectsIn(tree: string): Promise<Readonly<Record<string, number>>> {
  const text = await readFile(path.join(tree, "effects.log"), "utf8").catch(() => "");
  const counts: Record<string, number> = {};
  for (const name of text.split("\n").filter((line) => line !== "")) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}
