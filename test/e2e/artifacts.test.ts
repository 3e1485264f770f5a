import { readFile } from "node:fs/promises";
import path from "node:path";
import type { RunEvent } from "@airlock/core/contract";
import { itemKey, openSealed, ownCallKey } from "@airlock/core/record";
import { readCall, readConversation, sealArguments, type RunHash } from "@airlock/core/run";
import { readEvent, runKeys } from "@airlock/core/store";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startCell, type Cell } from "../support/cell.ts";
import { until } from "../support/forge.ts";
import { makeRepository } from "../support/repository.ts";
import { call, specOf, writeFixtures } from "../support/story.ts";

const PATCH = "--- /dev/null\n+++ b/src/made.js\n@@ -0,0 +1 @@\n+made\n";
const MISFIT = "--- a/README.md\n+++ b/README.md\n@@ -1 +1 @@\n-never there\n+x\n";
const patch = { kind: "message", text: PATCH } as const;
const done = { kind: "message", text: "done" } as const;

let cell: Cell;
let repository: Awaited<ReturnType<typeof makeRepository>>;
let fixtures: Awaited<ReturnType<typeof writeFixtures>>;

beforeAll(async () => {
  repository = await makeRepository();
  fixtures = await writeFixtures({
    corrected: [[{ kind: "message", text: MISFIT }], [patch]],
    patch: [[patch]],
    manifest: [[done], [call("write_file", { path: "src/made.js", content: "made\n" })], [done]],
  });
  cell = await startCell({ fixtures: fixtures.directory, sources: [repository.directory] });
  await cell.trustRoute();
});

afterAll(async () => {
  await cell.close();
  await fixtures.remove();
  await repository.remove();
});

function submit(name: string, expected: object): Promise<string> {
  return cell.submit(specOf(name, repository.directory, { expect: expected }));
}

function artifactOf(run: string, hash: RunHash): string {
  const place = `${runKeys(run).run}#artifact`;
  return openSealed(cell.keyrings.validator, { seal: "run", place }, hash.artifact ?? "");
}

function fileOf(run: string, file: string): Promise<string | null> {
  return readFile(path.join(cell.volume, run, "tree", file), "utf8").catch(() => null);
}

async function startsOf(run: string): Promise<readonly string[]> {
  const entries = await cell.redis.xrange(runKeys(run).events, "-", "+");
  const events = entries.flatMap(([, fields]): readonly RunEvent[] => {
    const event = readEvent(fields);
    return event === null ? [] : [event];
  });
  return events.flatMap((event) =>
    event.type === "item_state" && event.state === "STARTED" ? [event.itemKey.slice(run.length + 1)] : [],
  );
}

async function corrections(run: string): Promise<readonly string[]> {
  const entries = await readConversation({ redis: cell.redis, keyring: cell.keyrings.validator }, run);
  return entries.flatMap((entry) => (entry.type === "correction" ? [entry.text] : []));
}

test("a patch that doesn't fit is corrected, and the one that fits is checked, applied once, and the artifact", async () => {
  const run = await submit("corrected", { kind: "patch", apply: true });
  const hash = await cell.ended(run);
  expect(hash).toMatchObject({ state: "completed", corrections: 1, calls: 1, mutatingCalls: 1 });
  expect(await startsOf(run)).toEqual(["1.1.1000000", "2.1.1000000", "2.1.1000001"]);
  expect(await corrections(run)).toEqual([
    expect.stringContaining("file 1 of the patch: a hunk (old lines 1)"),
  ]);
  expect([await fileOf(run, "src/made.js"), artifactOf(run, hash)]).toEqual(["made\n", PATCH]);
});

test("a patch that is not to be applied leaves the workspace as it was", async () => {
  const run = await submit("patch", { kind: "patch", files: ["src/made.js"] });
  expect(await cell.ended(run)).toMatchObject({ state: "completed", calls: 0, mutatingCalls: 0 });
  expect(await startsOf(run)).toEqual(["1.1.1000000"]);
  expect(await fileOf(run, "src/made.js")).toBeNull();
});

test("a manifest's file is looked for when the model says that it is done", async () => {
  const run = await submit("manifest", { kind: "manifest", files: [{ path: "src/made.js", minBytes: 5 }] });
  const hash = await cell.ended(run);
  expect(hash).toMatchObject({ state: "completed", corrections: 1 });
  expect(await corrections(run)).toEqual([expect.stringContaining('"src/made.js": there is no such file')]);
  const { files, text } = JSON.parse(artifactOf(run, hash)) as { files: object[]; text: string };
  expect([files, text]).toEqual([
    [{ path: "src/made.js", sizeBytes: 5, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) }],
    "done",
  ]);
});

test("a check whose arguments were swapped beside its grant is refused", async () => {
  await cell.kill("executor");
  const run = await submit("patch", { kind: "patch" });
  const key = ownCallKey({ run, turn: 1, attempt: 1 }, "check");
  await until("the check to be granted", async () => ((await readCall(cell.redis, key))?.grant ?? 0) > 0);
  const swapped = sealArguments(cell.keyrings.client, key, { patch: MISFIT });
  await cell.redis.set(runKeys(run).arguments(key), swapped);
  await cell.start("executor");
  expect(await cell.ended(run)).toMatchObject({ state: "escalated", errorClass: "GRANT_INVALID" });
});

test("an executor that dies in the middle of it checks again, and the patch is applied once", async () => {
  await cell.kill("executor");
  const run = await submit("patch", { kind: "patch", apply: true });
  const key = ownCallKey({ run, turn: 1, attempt: 1 }, "check");
  await until("the check to be granted", async () => ((await readCall(cell.redis, key))?.grant ?? 0) > 0);
  // as a dead executor leaves it: begun, and nobody holds its lease
  const { argumentsDigest = "" } = (await readCall(cell.redis, key)) ?? {};
  const entry = {
    state: "STARTED",
    fence: 1,
    owner: "dead",
    grant: 1,
    digest: argumentsDigest,
    leaseUntil: 1,
  };
  const rest = { tool: "airlock.check_patch", effect: "read" };
  await cell.redis.hset(runKeys(run).ledger(key), { ...entry, ...rest });
  await cell.start("executor");
  expect(await cell.ended(run)).toMatchObject({ state: "completed" });
  const again = itemKey({ run, turn: 1, attempt: 1, ordinal: 1_000_001 });
  expect([await readCall(cell.redis, key), await readCall(cell.redis, again)]).toMatchObject([
    { settled: "EXECUTED", grant: 2 },
    { settled: "EXECUTED", grant: 1 },
  ]);
  expect(await fileOf(run, "src/made.js")).toBe("made\n");
});
