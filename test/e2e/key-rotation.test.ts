import path from "node:path";
import { createPublisher } from "@airlock/core/queue";
import { loadKeyring } from "@airlock/core/runtime";
import { newRunId, type ListedKey, type Role } from "@airlock/core/record";
import { writeSpec, parseRunSpec, readConversation } from "@airlock/core/run";
import { runKeys } from "@airlock/core/store";
import { afterAll, beforeAll, expect, test } from "vitest";
import { airlockBeside, type Airlock } from "../support/airlock.ts";
import { PIPELINE, startCell, type Cell } from "../support/cell.ts";
import { countCall, effectsIn, writeCountingTests } from "../support/counting.ts";
import { until } from "../support/forge.ts";
import { makeRepository } from "../support/repository.ts";
import { REPORT, specOf, writeFixtures } from "../support/story.ts";

const CALLS = ["a", "b", "c", "d", "e"] as const;

let cell: Cell;
let airlock: Airlock;
let repository: Awaited<ReturnType<typeof makeRepository>>;
let fixtures: Awaited<ReturnType<typeof writeFixtures>>;

beforeAll(async () => {
  repository = await makeRepository(writeCountingTests);
  fixtures = await writeFixtures({ long: [...CALLS.map((name) => [countCall(name)]), [REPORT]] }, () => ({
    chunkBytes: 64,
    delayMs: 30,
  }));
  cell = await startCell({ fixtures: fixtures.directory, sources: [repository.directory] });
  await cell.trustRoute();
  airlock = await airlockBeside(cell);
});
afterAll(async () => {
  await airlock.remove();
  await cell.close();
  await fixtures.remove();
  await repository.remove();
});

/** One service after the other, as an operator does it. */
async function restartAll(): Promise<void> {
  for (const name of PIPELINE) {
    await cell.kill(name, "SIGTERM");
    await cell.start(name);
  }
}

async function listed() {
  const keys: readonly ListedKey[] = JSON.parse(
    (await airlock("keys", "list", cell.directory, "--json")).stdout,
  );
  return keys;
}

const keyringNow = (role: Role) => loadKeyring(path.join(cell.directory, `${role}.json`), role);

test("keys are rotated twice over in the middle of a run, which loses and repeats nothing", async () => {
  const before = await listed();
  const run = await cell.submit(specOf("long", repository.directory));
  await until("the second turn", async () => (await cell.redis.exists(runKeys(run).turn(2))) === 1);
  for (const step of ["announced", "used"]) {
    const { code, stdout, stderr } = await airlock("keys", "rotate", cell.directory, "--json");
    expect({ code, step: JSON.parse(stdout).step, stderr }).toEqual({ code: 0, step, stderr: "" });
    await restartAll();
  }
  expect(await cell.ended(run, 120_000)).toMatchObject({ state: "completed" });
  const tree = path.join(cell.volume, run, "tree");
  expect(await effectsIn(tree)).toEqual(Object.fromEntries(CALLS.map((name) => [name, 1])));
  // what was sealed before, in between and after is read with the keys of today
  const reader = { redis: cell.redis, keyring: keyringNow("validator") };
  expect((await readConversation(reader, run)).length).toBeGreaterThan(CALLS.length);
  const after = await listed();
  expect(after.filter(({ state }) => state === "old").map(({ keyId }) => keyId)).toEqual(
    before.map(({ keyId }) => keyId),
  );
});

test("what a revoked key signs is refused by every service, and its successor goes on", async () => {
  const old = (await listed()).find(({ name, state }) => name === "client" && state === "old")?.keyId ?? "";
  expect(await airlock("keys", "revoke", cell.directory, "--key", old)).toMatchObject({ code: 0 });
  await restartAll();
  const submitWith = async (keyring: ReturnType<typeof keyringNow>): Promise<string> => {
    const run = newRunId();
    const { specDigest } = await writeSpec(
      { redis: cell.redis, keyring },
      run,
      parseRunSpec(specOf("long", repository.directory), "test"),
    );
    const publisher = createPublisher({ redis: cell.redis, keyring });
    const body = { version: 1, run, requestedBy: "test", kind: "submit", specDigest } as const;
    await publisher.publish(publisher.sign({ purpose: "command", body }));
    await publisher.close();
    return run;
  };
  // the cell's own keyrings are those of its beginning
  const refused = await submitWith(cell.keyrings.client);
  await until("a refusal", async () => (await cell.logOf("validator")).includes("record_refused"));
  expect(await cell.redis.exists(runKeys(refused).run)).toBe(0);
  expect(await cell.ended(await submitWith(keyringNow("client")), 120_000)).toMatchObject({
    state: "completed",
  });
});
