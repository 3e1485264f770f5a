import { readFile } from "node:fs/promises";
import path from "node:path";
import { readCall, readRun, readTurn } from "@airlock/core/run";
import type { ComposedItem } from "@airlock/replay";
import { countCall, effectsIn } from "../../support/counting.ts";
import { call, REPORT, specOf } from "../../support/story.ts";
import type { CrashCell } from "./crash-cell.ts";

/** One run of a soak: commands whose effects can be counted, and a file whose content can be read. */
const NOTES = { path: "notes.txt", content: "written once\n" } as const;
export const SOAK_CASE: readonly (readonly ComposedItem[])[] = [
  [call("read_file", { path: "README.md" }), countCall("a")],
  [countCall("b"), countCall("c")],
  [call("write_file", NOTES)],
  [countCall("d")],
  [REPORT],
];

/** Where the effect of each counted command is proposed: turn and place within it. */
const COUNTED = { a: [1, 1], b: [2, 0], c: [2, 1], d: [4, 0] } as const;

export function soakSpec(source: string): Readonly<Record<string, unknown>> {
  return specOf("soak", source, { limits: { attempts: 20, deadlineMs: 150_000 } });
}

export interface RunFinding {
  readonly state: string;
  /** what the world shows that must never be */
  readonly problems: readonly string[];
}

/** States of a call in which it may have had its effect, once. */
const MAY_HAVE_RUN = new Set(["EXECUTED", "OUTCOME_UNKNOWN"]);

export async function worldOf(cell: CrashCell, run: string): Promise<RunFinding> {
  const hash = await readRun(cell.redis, run);
  const state = hash?.endedAt === undefined ? "lost" : hash.state;
  const tree = path.join(cell.volume, run, "tree");
  const effects = await effectsIn(tree);
  const problems = state === "lost" ? [`${run}: never ended`] : [];
  for (const [name, [turn, place]] of Object.entries(COUNTED)) {
    const times = effects[name] ?? 0;
    const settled = await settledAs(cell, { run, turn, place });
    if (times > 1) problems.push(`${run}: ${name} happened ${times} times`);
    if (times > 0 && !MAY_HAVE_RUN.has(settled))
      problems.push(`${run}: ${name} happened and is told as ${settled}`);
    if (times === 0 && settled === "EXECUTED")
      problems.push(`${run}: ${name} is told as done and never happened`);
  }
  const notes = await readFile(path.join(tree, NOTES.path), "utf8").catch(() => null);
  const written = await settledAs(cell, { run, turn: 3, place: 0 });
  if (written === "EXECUTED" && notes !== NOTES.content)
    problems.push(`${run}: the file is told as written and is not`);
  if (notes !== null && !MAY_HAVE_RUN.has(written))
    problems.push(`${run}: the file is there and told as ${written}`);
  return { state, problems };
}

/** The published outcome of a call of the turn's last attempt; "" where there is none. */
async function settledAs(
  cell: CrashCell,
  { run, turn, place }: { readonly run: string; readonly turn: number; readonly place: number },
): Promise<string> {
  const calls = [...((await readTurn(cell.redis, run, turn))?.calls.keys() ?? [])].toSorted(
    (left, right) => Number(left.split(".").at(-1)) - Number(right.split(".").at(-1)),
  );
  const itemKey = calls[place];
  return itemKey === undefined ? "" : ((await readCall(cell.redis, itemKey))?.settled ?? "");
}
