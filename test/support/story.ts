import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { JsonObject } from "@airlock/core/json";
import type { Family } from "@airlock/core/wire";
import { composeBody, composeStream, type ComposedItem, type ComposedTurn } from "@airlock/replay";
import { ROOT } from "./cell.ts";

/** A folder for the gateway: the demo's cases and the test's own, each a list of turns, and how they are sent. */
export async function writeFixtures(
  cases: Readonly<Record<string, readonly (readonly ComposedItem[])[]>>,
  misbehaviour: (name: string) => JsonObject | null = () => null,
): Promise<{ readonly directory: string; remove(): Promise<void> }> {
  const directory = await mkdtemp(path.join(tmpdir(), "airlock-fixtures-"));
  await cp(path.join(ROOT, "fixtures/demo"), path.join(directory, "demo"), { recursive: true });
  await mkdir(path.join(directory, "case"));
  for (const [name, turns] of Object.entries(cases)) {
    for (const [at, items] of turns.entries()) {
      const file = path.join(directory, "case", `${name}.${at + 1}`);
      await writeFile(`${file}.sse`, composeStream("responses", { id: `${name}-${at + 1}`, items }));
      const sidecar = misbehaviour(name);
      if (sidecar !== null) await writeFile(`${file}.json`, JSON.stringify(sidecar));
    }
  }
  return { directory, remove: () => rm(directory, { recursive: true, force: true }) };
}

/** What the file of a turn's name answers: `1`, `1.retry`, `2`, and so on. */
export type FamilyTurns = Readonly<Record<string, Omit<ComposedTurn, "id">>>;

/** A case of any family in such a folder; `body`: each request for a stream is answered with one body, as some routes do. */
export async function writeFamilyCase(
  directory: string,
  {
    name,
    family,
    form,
  }: { readonly name: string; readonly family: Family; readonly form: "stream" | "body" },
  turns: FamilyTurns,
): Promise<void> {
  for (const [place, said] of Object.entries(turns)) {
    const turn = { id: `${name}-${place}`, ...said };
    const file = path.join(directory, "case", `${name}.${place}`);
    if (form === "stream") await writeFile(`${file}.sse`, composeStream(family, turn));
    else await writeFile(`${file}.json`, JSON.stringify(bodyAnswer(family, turn)));
  }
}

function bodyAnswer(family: Family, turn: ComposedTurn): JsonObject {
  const body = composeBody(family, turn);
  if (turn.endAfter === undefined) return { body };
  const text = JSON.stringify(body);
  return {
    body,
    cutAtByte: Buffer.byteLength(text.slice(0, text.indexOf(turn.endAfter) + turn.endAfter.length)),
  };
}

export function call(name: string, args: JsonObject): ComposedItem {
  return { kind: "call", name, arguments: args };
}

export const REPORT: ComposedItem = {
  kind: "message",
  text: "## Summary\n\nDone.\n\n## Changes\n\nSome.\n\n## Tests\n\nRun.\n",
};

/** A spec for a case of `writeFixtures`. */
export function specOf(
  name: string,
  source: string,
  more: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> {
  return {
    route: "gateway",
    model: `replay/case/${name}`,
    instructions: "Do the work.",
    input: "Begin.",
    tools: ["list_files", "read_file", "write_file", "apply_patch", "run_command"],
    policy: "ci-default",
    workspace: { source, ref: "main" },
    ...more,
  };
}
