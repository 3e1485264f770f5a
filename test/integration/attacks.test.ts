import { readFile } from "node:fs/promises";
import path from "node:path";
import { executionBodySchema, parseBody, type ExecutionBody } from "@airlock/core/contract";
import { createLedger, effectDigest } from "@airlock/core/ledger";
import {
  itemKey,
  sealBody,
  signRecord,
  signedRecordSchema,
  type Role,
  type SignedRecord,
} from "@airlock/core/record";
import { beatPool, readCall, readTurn, turnSwitch } from "@airlock/core/run";
import { globalKeys, runKeys } from "@airlock/core/store";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startCell, type Cell } from "../support/cell.ts";
import { countCall, effectsIn, writeCountingTests } from "../support/counting.ts";
import { createForger, signAs, until, type Forger } from "../support/forge.ts";
import { makeRepository } from "../support/repository.ts";
import { call, REPORT, specOf, writeFixtures } from "../support/story.ts";
import { eventWhere } from "../support/watch.ts";

let cell: Cell;
let forger: Forger;
let repository: Awaited<ReturnType<typeof makeRepository>>;
let fixtures: Awaited<ReturnType<typeof writeFixtures>>;
let executorRuns = true;

const write = (name: string) =>
  call("write_file", { path: `src/${name}.js`, content: `export default "${name}";\n` });

beforeAll(async () => {
  repository = await makeRepository(writeCountingTests);
  fixtures = await writeFixtures({
    count: [[countCall("a")], [REPORT]],
    write: [[write("one")], [REPORT]],
    pair: [[write("one"), write("two")], [REPORT]],
    forbidden: [[call("write_file", { path: ".github/workflows/ci.yml", content: "on: push\n" })], [REPORT]],
  });
  cell = await startCell({ fixtures: fixtures.directory, sources: [repository.directory] });
  await cell.trustRoute();
  forger = createForger(cell);
});

afterAll(async () => {
  await forger.close();
  await cell.close();
  await fixtures.remove();
  await repository.remove();
});

function tree(run: string, file: string): Promise<string | null> {
  return readFile(path.join(cell.volume, run, "tree", file), "utf8").catch(() => null);
}

function effects(run: string): Promise<Readonly<Record<string, number>>> {
  return effectsIn(path.join(cell.volume, run, "tree"));
}

function ledgerOf(item: string) {
  return createLedger(cell.redis).read(item);
}

async function executor(runs: boolean): Promise<void> {
  if (runs === executorRuns) return;
  executorRuns = runs;
  await (runs ? cell.start("executor") : cell.kill("executor"));
}

/** Starts a run and returns its first call's item key. */
async function submit(name: string): Promise<{ readonly run: string; readonly item: string }> {
  const run = await cell.submit(specOf(name, repository.directory, { tools: ["write_file", "run_command"] }));
  return { run, item: itemKey({ run, turn: 1, attempt: 1, ordinal: 0 }) };
}

interface Granted {
  readonly run: string;
  readonly item: string;
  readonly record: SignedRecord;
  readonly body: ExecutionBody;
}

async function grantOf(item: string): Promise<Pick<Granted, "record" | "body">> {
  await until("a grant", async () => (await readCall(cell.redis, item))?.grantRecord !== undefined);
  const stored = (await readCall(cell.redis, item))?.grantRecord ?? "";
  const record = signedRecordSchema.parse(JSON.parse(stored));
  return { record, body: parseBody(executionBodySchema, record.body) };
}

/** A run whose first call is granted while no executor is there to run it. */
async function granted(name: string): Promise<Granted> {
  await executor(false);
  // its pool still counts as live: the grant goes out
  await beatPool(cell.redis, "default", { id: "test", host: "test", draining: false });
  const { run, item } = await submit(name);
  return { run, item, ...(await grantOf(item)) };
}

/** A run that is over, with the grant of its first call. */
async function finished(name: string): Promise<Granted> {
  await executor(true);
  const { run, item } = await submit(name);
  expect(await cell.ended(run)).toMatchObject({ state: "completed" });
  return { run, item, ...(await grantOf(item)) };
}

describe("a call that policy forbade is not run by a grant that", () => {
  let denied: { readonly run: string; readonly item: string };
  let body: ExecutionBody;

  beforeAll(async () => {
    await executor(true);
    denied = await submit("forbidden");
    await cell.ended(denied.run);
    const call = await readCall(cell.redis, denied.item);
    const far = Date.now() + 3_600_000;
    body = {
      version: 1,
      run: denied.run,
      itemKey: denied.item,
      grant: 1,
      tool: "write_file",
      manifestDigest: call?.manifestDigest ?? "",
      effect: "mutating",
      argumentsDigest: call?.argumentsDigest ?? "",
      policy: "ci-default",
      policyDigest: call?.policyDigest ?? "",
      workspace: { source: repository.directory, ref: "main" },
      pool: "default",
      expiresAt: far,
      notAfter: far,
    };
  });

  async function expectUntouched(): Promise<void> {
    expect(await ledgerOf(denied.item)).toBeNull();
    expect(await tree(denied.run, ".github/workflows/ci.yml")).toBeNull();
  }

  test("was denied to begin with", async () => {
    const call = await readCall(cell.redis, denied.item);
    expect(call).toMatchObject({ state: "DENIED", settled: "DENIED", grant: 0 });
  });

  test.each<Role>(["client", "streamer", "executor"])("the %s signed", async (role) => {
    await forger.refused(
      "executions.default",
      `${denied.item}.1`,
      signAs(cell.keyrings[role], "execution", body),
    );
    await expectUntouched();
  });

  test("the executor signed under the validator's key id", async () => {
    const { signing } = cell.keyrings.executor;
    const keyring = {
      ...cell.keyrings.executor,
      signing: { ...signing, keyId: cell.keyrings.validator.signing.keyId },
    };
    await forger.refused("executions.default", `${denied.item}.1`, signAs(keyring, "execution", body));
    await expectUntouched();
  });

  test("belongs to another call and was edited", async () => {
    const { record } = await finished("write");
    const edited = { ...record, body: JSON.stringify(body) };
    await forger.refused("executions.default", `${denied.item}.1`, edited);
    await expectUntouched();
  });

  test("belongs to another call and was copied under this one's id", async () => {
    const { record, item } = await finished("write");
    const before = await ledgerOf(item);
    await forger.refused("executions.default", `${denied.item}.1`, record);
    await expectUntouched();
    expect(await ledgerOf(item)).toEqual(before);
  });

  test("is no signed record at all", async () => {
    await forger.refused("executions.default", `${denied.item}.1`, body);
    await expectUntouched();
  });

  test("stands beside a call whose record in Redis was set to POLICY_APPROVED", async () => {
    const keys = runKeys(denied.run);
    await cell.redis.hset(keys.call(denied.item), { state: "POLICY_APPROVED", grant: 1 });
    await cell.redis.hdel(keys.call(denied.item), "settled");
    await forger.refused(
      "executions.default",
      `${denied.item}.1`,
      signAs(cell.keyrings.executor, "execution", body),
    );
    await expectUntouched();
  });

  test("the validator itself was made to sign: the executor's own policy refuses", async () => {
    const keys = runKeys(denied.run);
    await cell.redis.hset(keys.call(denied.item), { state: "POLICY_APPROVED", grant: 1 });
    await cell.redis.hdel(keys.run, "endedAt");
    await forger.add(
      "executions.default",
      `${denied.item}.1`,
      signRecord(cell.keyrings.validator, "execution", JSON.stringify(body)),
    );
    await until("the refusal", async () => (await ledgerOf(denied.item))?.state === "DENIED");
    expect(await ledgerOf(denied.item)).toMatchObject({ errorClass: "POLICY_CHANGED", status: "refused" });
    expect(await tree(denied.run, ".github/workflows/ci.yml")).toBeNull();
  });
});

describe("a grant that was used", () => {
  test("runs nothing when it is replayed after its job is gone", async () => {
    const { run, item, record } = await finished("count");
    expect(await effects(run)).toEqual({ a: 1 });
    const before = await ledgerOf(item);
    expect(before).toMatchObject({ state: "EXECUTED", fence: 1 });
    for (let times = 0; times < 3; times += 1) {
      await forger.add("executions.default", `${item}.1`, record);
      await until(
        "the job's end",
        async () => (await cell.redis.exists(jobKey("executions.default", `${item}.1`))) === 0,
      );
    }
    expect(await ledgerOf(item)).toEqual(before);
    expect(await effects(run)).toEqual({ a: 1 });
    expect(await startsOf(run, item)).toBe(1);
  });

  test("does not become a second one under the next grant's id", async () => {
    const { run, item, record } = await finished("count");
    await forger.refused("executions.default", `${item}.2`, record);
    expect(await effects(run)).toEqual({ a: 1 });
  });
});

function jobKey(queue: string, jobId: string): string {
  return `{airlock:${queue}}:${queue}:${jobId}`;
}

async function startsOf(run: string, item: string): Promise<number> {
  const entries = await cell.redis.xrange(runKeys(run).events, "-", "+");
  return entries.filter(([, [, text = ""]]) => text.includes(item) && text.includes('"STARTED"')).length;
}

/** Puts another record in place of the grant that waits in the queue. */
async function replaceGrant(held: Granted, change: Partial<ExecutionBody>): Promise<void> {
  const record = signRecord(
    cell.keyrings.validator,
    "execution",
    JSON.stringify({ ...held.body, ...change }),
  );
  await forger.remove("executions.default", `${held.item}.1`);
  await forger.add("executions.default", `${held.item}.1`, record);
}

describe("an expired grant", () => {
  test("runs nothing; the live decision behind it is granted anew, and that one runs once", async () => {
    const held = await granted("count");
    await replaceGrant(held, { expiresAt: Date.now() - 1_000 });
    await executor(true);
    expect(await cell.ended(held.run)).toMatchObject({ state: "completed" });
    expect(await ledgerOf(held.item)).toMatchObject({ state: "EXECUTED", grant: 2, fence: 1 });
    expect(await effects(held.run)).toEqual({ a: 1 });
  });

  test("of an expired decision ends the call, and the model is told", async () => {
    const held = await granted("count");
    await replaceGrant(held, { expiresAt: Date.now() - 1_000, notAfter: Date.now() - 1_000 });
    await executor(true);
    expect(await cell.ended(held.run)).toMatchObject({ state: "completed" });
    expect(await readCall(cell.redis, held.item)).toMatchObject({
      settled: "EXPIRED",
      errorClass: "GRANT_EXPIRED",
    });
    expect(await effects(held.run)).toEqual({});
  });
});

describe("a granted call whose stored arguments were exchanged runs nothing:", () => {
  async function expectDenied(held: Granted, files: readonly string[]): Promise<void> {
    await executor(true);
    await cell.ended(held.run);
    expect(await ledgerOf(held.item)).toMatchObject({ state: "DENIED", errorClass: "GRANT_INVALID" });
    for (const file of files) expect(await tree(held.run, file)).toBeNull();
  }

  test("another item's content in its place", async () => {
    const held = await granted("pair");
    const keys = runKeys(held.run);
    const other = itemKey({ run: held.run, turn: 1, attempt: 1, ordinal: 1 });
    await cell.redis.copy(keys.content(other), keys.content(held.item), "REPLACE");
    await expectDenied(held, ["src/one.js"]);
    expect(await tree(held.run, "src/two.js")).toContain("two");
  });

  test("another item's record and content in its place", async () => {
    const held = await granted("pair");
    const keys = runKeys(held.run);
    const other = itemKey({ run: held.run, turn: 1, attempt: 1, ordinal: 1 });
    await cell.redis.copy(keys.item(other), keys.item(held.item), "REPLACE");
    await cell.redis.copy(keys.content(other), keys.content(held.item), "REPLACE");
    await expectDenied(held, ["src/one.js"]);
  });

  test.each<Role>(["executor", "client", "validator"])(
    "a record and content that the %s forged",
    async (role) => {
      const held = await granted("write");
      const place = runKeys(held.run).item(held.item);
      const text = '{"path":"src/evil.js","content":"x"}';
      const content = sealBody(cell.keyrings[role], { seal: "calls", place }, text);
      const stored = signedRecordSchema.parse(JSON.parse((await cell.redis.hget(place, "record")) ?? ""));
      const item: unknown = JSON.parse(stored.body);
      const forged = signAs(cell.keyrings[role], "item", { ...(item as object), bytes: text.length });
      await cell.redis.hset(place, { record: JSON.stringify(forged) });
      await cell.redis.set(runKeys(held.run).content(held.item), content);
      await expectDenied(held, ["src/one.js", "src/evil.js"]);
    },
  );

  test("an edited letter in the sealed content", async () => {
    const held = await granted("write");
    const place = runKeys(held.run).content(held.item);
    const content = (await cell.redis.get(place)) ?? "";
    await cell.redis.set(place, `${content.slice(0, -2)}${content.endsWith("A") ? "BB" : "AA"}`);
    await expectDenied(held, ["src/one.js"]);
  });
});

test("an edited call record can't make the executor run anything but what the grant was signed for", async () => {
  const held = await granted("write");
  const key = runKeys(held.run).call(held.item);
  await cell.redis.hset(key, {
    tool: "run_command",
    effect: "read",
    argumentsDigest: "0".repeat(64),
    manifestDigest: "0".repeat(64),
    claims: JSON.stringify({ reads: [], writes: [], workspace: "none" }),
    decision: "allow",
  });
  await executor(true);
  expect(await cell.ended(held.run)).toMatchObject({ state: "completed" });
  expect(await ledgerOf(held.item)).toMatchObject({
    state: "EXECUTED",
    tool: "write_file",
    effect: "mutating",
  });
  expect(await tree(held.run, "src/one.js")).toBe('export default "one";\n');
});

describe("while no streamer is there,", () => {
  test("a forged response unlocks nothing, whoever signed it, and neither does one of another run", async () => {
    const other = await finished("write");
    await cell.kill("streamer");
    const { run, item } = await submit("write");
    await eventWhere(cell.redis, run, (event) => event.type === "attempt_opened");
    const keys = runKeys(run);
    const genuine = signedRecordSchema.parse(
      JSON.parse(
        (await cell.redis.hget(runKeys(other.run).attempt({ turn: 1, attempt: 1 }), "record")) ?? "",
      ),
    );
    const response: unknown = { ...(JSON.parse(genuine.body) as object), run };
    for (const role of ["client", "validator", "executor"] as const) {
      const stolen = signedRecordSchema.parse(
        JSON.parse((await cell.redis.hget(runKeys(other.run).item(other.item), "record")) ?? ""),
      );
      const body: unknown = { ...(JSON.parse(stolen.body) as object), run };
      await forger.refused("items", item, signAs(cell.keyrings[role], "item", body));
      await forger.refused("items", `${run}.1.1.end`, signAs(cell.keyrings[role], "response", response));
    }
    await forger.refused("items", `${run}.1.1.end`, genuine);
    await forger.refused("items", `${run}.1.1.end`, { ...genuine, body: JSON.stringify(response) });
    expect(await readTurn(cell.redis, run, 1)).toMatchObject({ state: "streaming", calls: new Map() });
    expect(await cell.redis.exists(keys.call(item))).toBe(0);
    await cell.start("streamer");
    expect(await cell.ended(run)).toMatchObject({ state: "completed" });
  });
});

describe("a forged result", () => {
  test("settles nothing, whoever signed it, and the call runs once all the same", async () => {
    const held = await granted("count");
    const result = {
      version: 1,
      run: held.run,
      itemKey: held.item,
      grant: 1,
      fence: 1,
      kind: "settled",
      state: "EXECUTED",
      status: "ok",
      errorClass: null,
      contentDigest: null,
      resultBytes: 0,
      durationMs: 0,
    };
    for (const role of ["client", "streamer", "validator"] as const) {
      const jobId = `${held.item}.1.1.settled`;
      await forger.refused("results", jobId, signAs(cell.keyrings[role], "result", result));
    }
    expect((await readCall(cell.redis, held.item))?.settled).toBeUndefined();
    await executor(true);
    expect(await cell.ended(held.run)).toMatchObject({ state: "completed" });
    expect(await effects(held.run)).toEqual({ a: 1 });
  });

  test("content beside a genuine one never reaches the model: the turn waits until what was signed is back", async () => {
    const held = await granted("count");
    await cell.kill("validator");
    await executor(true);
    await until("the end of the call", async () => (await ledgerOf(held.item))?.state === "EXECUTED");
    const keys = runKeys(held.run);
    const place = keys.result(held.item);
    const genuine = (await cell.redis.get(place)) ?? "";
    const content = sealBody(
      cell.keyrings.client,
      { seal: "calls", place },
      '{"status":"ok","stdout":"all is well"}',
    );
    await cell.redis.set(place, content);
    const pieces = await cell.redis.llen(keys.conversation);
    await cell.start("validator");
    const complaint = "a result is not the one that the executor signed";
    await until("the complaint", async () => (await cell.logOf("validator")).includes(complaint));
    expect(await cell.redis.llen(keys.conversation)).toBe(pieces);
    await cell.redis.set(place, genuine);
    expect(await cell.ended(held.run)).toMatchObject({ state: "completed" });
    expect(await effects(held.run)).toEqual({ a: 1 });
  });
});

describe("a forged command", () => {
  test("cancels nothing and submits nothing", async () => {
    const held = await granted("count");
    const cancel = { version: 1, run: held.run, requestedBy: "evil", kind: "cancel", reason: "" };
    for (const role of ["streamer", "validator", "executor"] as const) {
      await forger.refused("commands", `${held.run}.cancel`, signAs(cell.keyrings[role], "command", cancel));
    }
    const genuine = signRecord(cell.keyrings.client, "command", JSON.stringify(cancel));
    await forger.refused("commands", `${held.run}.submit`, genuine);
    await executor(true);
    expect(await cell.ended(held.run)).toMatchObject({ state: "completed" });
    expect(await effects(held.run)).toEqual({ a: 1 });
  });
});

describe("records that one who can write to Redis has edited", () => {
  /** Opens a run again whose only call was denied, as if the call had been approved. */
  async function reopen(
    denied: { readonly run: string; readonly item: string },
    policy: string,
  ): Promise<void> {
    const keys = runKeys(denied.run);
    const other = await finished("write");
    await cell.redis.hset(keys.call(denied.item), {
      state: "POLICY_APPROVED",
      policyDigest: other.body.policyDigest,
      notAfter: Date.now() + 3_600_000,
    });
    await cell.redis.hdel(keys.call(denied.item), "settled", "errorClass");
    const need = `need:${denied.item}`;
    await cell.redis.hset(keys.turn(1), { state: "calls", [`call:${denied.item}`]: "waiting", [need]: "[]" });
    await cell.redis.hset(keys.run, { state: "running", turn: 1, policy });
    await cell.redis.hdel(keys.run, "endedAt");
    await cell.redis.zadd(globalKeys.open, 1, `${denied.run}.1`);
  }

  async function denied(): Promise<{ readonly run: string; readonly item: string }> {
    await executor(true);
    const spec = specOf("write", repository.directory, { tools: ["write_file"], policy: "read-only" });
    const run = await cell.submit(spec);
    const item = itemKey({ run, turn: 1, attempt: 1, ordinal: 0 });
    expect(await cell.ended(run)).toMatchObject({ state: "completed" });
    expect(await readCall(cell.redis, item)).toMatchObject({ settled: "DENIED" });
    return { run, item };
  }

  test("don't make the validator grant a call that its policy denied", async () => {
    const call = await denied();
    await reopen(call, "read-only");
    await until("the denial", async () => (await readCall(cell.redis, call.item))?.settled !== undefined);
    expect(await readCall(cell.redis, call.item)).toMatchObject({ settled: "DENIED", grant: 0 });
    expect(await ledgerOf(call.item)).toBeNull();
    expect(await tree(call.run, "src/one.js")).toBeNull();
  });

  test("don't put a run under another policy than was submitted", async () => {
    const call = await denied();
    await reopen(call, "ci-default");
    const complaint = new RegExp(`"run":"${call.run}".*not the one that was submitted`);
    await until("the complaint", async () => complaint.test(await cell.logOf("validator")));
    expect(await readCall(cell.redis, call.item)).toMatchObject({ grant: 0 });
    expect(await ledgerOf(call.item)).toBeNull();
    expect(await tree(call.run, "src/one.js")).toBeNull();
  });
});

test("a call that was granted before a person stopped its run does not begin", async () => {
  const { run, item } = await granted("write");
  const order = { id: "0123456789abcdefghij", by: "ada", reason: "it looks wrong" } as const;
  await turnSwitch(cell.redis, { ...order, kind: "kill", target: `run:${run}` });
  await executor(true);
  await until("a settlement", async () => (await readCall(cell.redis, item))?.settled !== undefined);
  expect(await readCall(cell.redis, item)).toMatchObject({ settled: "DENIED", errorClass: "KILL_SWITCH" });
  expect(await ledgerOf(item)).toMatchObject({ state: "DENIED", errorClass: "KILL_SWITCH" });
  expect(await tree(run, "src/one.js")).toBeNull();
});

test("a granted call whose effect an unknown one may have had goes back, and waits for a person", async () => {
  const { run, item, body } = await granted("write");
  const older = itemKey({ run, turn: 1, attempt: 1, ordinal: 900 });
  const args = { path: "src/one.js", content: 'export default "one";\n' };
  const digest = effectDigest({ run, source: body.workspace.source, tool: body.tool, args });
  const known = { fence: 1, grant: 1, digest: body.argumentsDigest, tool: body.tool, owner: "gone" } as const;
  await createLedger(cell.redis).loseUnseen(older, { ...known, effect: "mutating" });
  await cell.redis.set(globalKeys.effect(digest), older);
  await executor(true);
  await until("the question", async () => (await readCall(cell.redis, item))?.state === "AWAITING_APPROVAL");
  expect(await readCall(cell.redis, item)).toMatchObject({ grant: 1, repeats: older });
  expect(await ledgerOf(item)).toBeNull();
  expect(await tree(run, "src/one.js")).toBeNull();
});
