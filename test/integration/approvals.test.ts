import { storeAnswer as storeDirectly } from "@airlock/core/approval";
import { approvalBodySchema, askBodySchema } from "@airlock/core/contract";
import { createRouteBreaker, readRun, readTurn, sealPreview } from "@airlock/core/run";
import { globalKeys, redisNow, runKeys } from "@airlock/core/store";
import {
  approvalDocumentSchema,
  approvalPageSchema,
  listApprovalPage,
  readApproval,
  readAsked,
} from "@airlock/operator/document";
import { signAnswer, storeAnswer } from "@airlock/operator/order";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { sweepApprovals, watchRemoved } from "../../services/validator/src/approval/sweep-approvals.ts";
import { followAnswers } from "../../services/validator/src/approval/follow-answers.ts";
import { askPeople } from "../../services/validator/src/approval/ask-people.ts";
import { onCommand } from "../../services/validator/src/admission/on-command.ts";
import { sweep } from "../../services/validator/src/sweep/sweeper.ts";
import { asking, openParkedCalls, type ParkedCalls } from "../support/parked-calls.ts";
import { startRedis, type RedisServer } from "../support/redis-server.ts";
import { createTestValidator, type TestValidator } from "../support/test-validator.ts";

const PATIENT = { mismatches: 1_000, windowMs: 60_000, openMs: 60_000, probeMs: 60_000 };

let server: RedisServer;
let validator: TestValidator;
let parked: ParkedCalls;

beforeAll(async () => {
  server = await startRedis();
});
afterAll(() => server.close());
beforeEach(async () => {
  await server.redis.flushall();
  const route = { name: "gateway", family: "responses" } as const;
  validator = createTestValidator(server.redis, route, createRouteBreaker(server.redis, PATIENT), {
    approvalMs: 600_000,
  });
  parked = openParkedCalls(server.redis, validator);
});
afterEach(async () => {
  await parked.close();
  await validator.close();
});

const NO_RUN = { settled: "DENIED", grant: 0 } as const;

async function jobId(itemKey: string): Promise<string> {
  return `${itemKey}.${(await parked.call(itemKey)).request}`;
}

async function promote(itemKey: string): Promise<void> {
  await (await parked.queue.getJob(await jobId(itemKey)))?.promote();
}

/** A job is parked again once it is delayed, and the event of it was told. */
async function unsigned(itemKey: string): Promise<number> {
  return (await parked.events(itemKey)).filter(({ type }) => type === "approval_unsigned").length;
}

async function turnState(itemKey: string): Promise<string | undefined> {
  return (await readTurn(server.redis, itemKey.split(".")[0] ?? "", 1))?.state;
}

describe("a call that policy has people asked about", () => {
  test("is parked beyond the end of its question, signed, without any of its arguments, and told of", async () => {
    const [item] = await parked.open();
    const call = await parked.call(item);
    expect(call).toMatchObject({ state: "AWAITING_APPROVAL", request: 1, grant: 0 });
    const job = await parked.queue.getJob(`${item}.1`);
    expect(await job?.getState()).toBe("delayed");
    expect((job?.timestamp ?? 0) + (job?.opts.delay ?? 0)).toBeGreaterThan(call.approvalUntil ?? 0);
    expect(JSON.stringify(job?.data)).not.toContain("src/0.js");
    expect(await server.redis.zscore(globalKeys.approvals, item)).toBe(String(call.approvalUntil));
    expect(await parked.notices()).toEqual(["approval_requested"]);
    const asked = (await parked.events(item)).filter(({ type }) => type === "approval_requested");
    expect(asked).toMatchObject([{ tool: "write_file", risk: "high", quorum: 1, request: 1 }]);
    expect(await readRun(server.redis, parked.played().run)).toMatchObject({ state: "awaiting_approval" });
  });

  test("shows an approver exactly what would run", async () => {
    const [item] = await parked.open();
    const access = { redis: server.redis, keyring: validator.keyrings.console };
    const page = approvalPageSchema.parse(await listApprovalPage(access, { cursor: null, limit: 1 }));
    expect(page.next).toBeNull();
    expect(page.approvals[0]).toMatchObject({
      itemKey: item,
      rule: "ask",
      reason: "a person looks at writes",
    });
    const document = approvalDocumentSchema.parse(await readApproval(access, item));
    expect(document.evidence).toMatchObject({
      arguments: { path: "src/0.js", content: "x\n" },
      shown: { kind: "diff", diff: "--- a/src/0.js\n+++ b/src/0.js\n@@\n+x\n" },
      claims: { reads: [], writes: ["src/0.js"], workspace: "none" },
      siblings: [],
      treeChanged: false,
    });
    await server.redis.hset(runKeys(parked.played().run).workspace, "epoch", 1);
    expect((await readApproval(access, item)).evidence.treeChanged).toBe(true);
  });

  test("is shown against the tree only as it was seen for this question", async () => {
    const [item] = await parked.open();
    const access = { redis: server.redis, keyring: validator.keyrings.console };
    const key = runKeys(parked.played().run).preview(item);
    const shownFor = async (nonce: string) => {
      const preview = { v: 1, nonce, seenAt: 1, epoch: 0, diff: "seen", refused: null } as const;
      await server.redis.set(key, sealPreview(validator.keyrings.executor, item, preview));
      return (await readApproval(access, item)).evidence.shown;
    };
    const { nonce = "" } = await parked.call(item);
    expect(await shownFor(nonce)).toMatchObject({ diff: "seen", tree: { changed: false, refused: null } });
    expect(await shownFor("0".repeat(20))).toMatchObject({ diff: expect.stringContaining("+x"), tree: null });
  });

  test("shows nobody arguments that are not the ones that were asked about", async () => {
    const [item, other] = await parked.open(asking(), 2);
    const keys = runKeys(parked.played().run);
    await server.redis.copy(keys.content(other ?? ""), keys.content(item), "REPLACE");
    const access = { redis: server.redis, keyring: validator.keyrings.console };
    await expect(readApproval(access, item)).rejects.toThrow("moved");
  });

  test("runs once it is approved, by a grant that says by which approval", async () => {
    const [item] = await parked.open();
    parked.consume();
    expect(await parked.answer(item, {})).toEqual({ kind: "stored", outcome: "approved", missing: 0 });
    const call = await parked.until(item, ({ grant }) => grant === 1);
    expect(call).toMatchObject({ state: "POLICY_APPROVED", approvers: ["ana"] });
    const grant = await parked.grantOf(item);
    expect(grant?.approval).toEqual({
      nonce: call.nonce,
      expiresAt: call.approvalUntil,
      requestedBy: "t",
      quorum: 1,
    });
    expect(await server.redis.zscore(globalKeys.approvals, item)).toBeNull();
    expect(await parked.notices()).toEqual(["approval_requested", "approval_decided approved ana"]);
    expect(await readRun(server.redis, parked.played().run)).toMatchObject({ state: "running" });
  });

  test("never runs once it is denied, and the model hears the reason", async () => {
    const [item] = await parked.open();
    parked.consume();
    const said = await parked.answer(item, { answer: "deny", reason: "not on a friday" });
    expect(said).toEqual({ kind: "stored", outcome: "denied", missing: 0 });
    const call = await parked.until(item, ({ settled }) => settled !== undefined);
    expect(call).toMatchObject({
      ...NO_RUN,
      errorClass: "APPROVAL_DENIED",
      detail: "not on a friday",
      deniedBy: "ana",
    });
    await expect.poll(() => parked.notices()).toContain("approval_decided denied ana");
    await expect.poll(() => turnState(item)).toBe("closed");
    const told = (await parked.played().cameOf())["told"];
    expect(told).toMatchObject([{ error: "APPROVAL_DENIED", detail: "not on a friday" }]);
    expect(await parked.answer(item, {})).toEqual({ kind: "gone" });
  });

  test("takes as many people as its policy asks for, each once", async () => {
    const [item] = await parked.open(asking({ quorum: 2 }));
    parked.consume();
    expect(await parked.answer(item, {})).toEqual({ kind: "stored", outcome: "pending", missing: 1 });
    expect(await parked.answer(item, { approver: "Ana " })).toEqual({ kind: "conflict" });
    await promote(item);
    await expect.poll(() => unsigned(item)).toBe(1);
    expect(await parked.answer(item, { approver: "bea" })).toMatchObject({ outcome: "approved" });
    expect(await parked.until(item, ({ grant }) => grant === 1)).toMatchObject({ approvers: ["ana", "bea"] });
  });

  test("is not its requester's to approve, or to deny", async () => {
    const [item] = await parked.open();
    expect(await parked.answer(item, { approver: "t" })).toEqual({ kind: "requester" });
    expect(await parked.answer(item, { approver: "T", answer: "deny" })).toEqual({ kind: "requester" });
    for (const alike of ["\uFF34", "t\u200B", "\u00ADt", "t\uFE0F", " t\u2060 "])
      expect(await parked.answer(item, { approver: alike })).toEqual({ kind: "requester" });
    expect(await server.redis.exists(runKeys(parked.played().run).approval(item))).toBe(0);
  });

  test("by two people at once is decided by the first word; the other hears of a conflict (row 29)", async () => {
    const [item] = await parked.open();
    const answers = await Promise.all([
      parked.answer(item, { approver: "ana" }),
      parked.answer(item, { approver: "bea", answer: "deny" }),
      parked.answer(item, { approver: "cy" }),
    ]);
    expect(answers.map(({ kind }) => kind).toSorted()).toEqual(["conflict", "conflict", "stored"]);
  });

  test("waits on, with an event, where its job is promoted and nobody has signed", async () => {
    const [item] = await parked.open();
    parked.consume();
    const before = await parked.call(item);
    await promote(item);
    await expect.poll(() => unsigned(item)).toBe(1);
    await expect.poll(async () => (await parked.queue.getJob(`${item}.1`))?.getState()).toBe("delayed");
    expect(await parked.call(item)).toEqual(before);
    const job = await parked.queue.getJob(`${item}.1`);
    expect((job?.delay ?? 0) + Date.now()).toBeGreaterThan(before.approvalUntil ?? Infinity);
    expect(await parked.answer(item, {})).toMatchObject({ outcome: "approved" });
    await parked.until(item, ({ grant }) => grant === 1);
  });

  test("is approved by no promotion of all of them", async () => {
    const items = await parked.open(asking(), 3);
    parked.consume();
    await parked.queue.promoteJobs();
    await expect.poll(() => unsigned(items[0])).toBe(3);
    for (const item of items)
      expect(await parked.call(item)).toMatchObject({ state: "AWAITING_APPROVAL", grant: 0 });
  });

  test("is denied where its job is removed, at once or by the sweep", async () => {
    const [item, other = ""] = await parked.open(asking(), 2);
    const watch = new AbortController();
    await parked.queue.remove(`${item}.1`);
    await sweepApprovals(validator.deps);
    expect(await parked.call(item)).toMatchObject({ ...NO_RUN, errorClass: "APPROVAL_REMOVED" });
    const watching = watchRemoved(validator.deps, watch.signal);
    await parked.queue.remove(`${other}.1`);
    await expect
      .poll(async () => {
        // the watch may begin after the removal: the queue tells of it once more
        const told = ["event", "removed", "jobId", `${other}.1`, "prev", "delayed"];
        await server.redis.xadd("{airlock:approvals}:approvals:events", "*", ...told);
        return (await parked.call(other)).errorClass;
      })
      .toBe("APPROVAL_REMOVED");
    watch.abort();
    await watching;
  });

  test("is approved nevertheless where its job is removed after the answer", async () => {
    const [item] = await parked.open();
    await parked.answer(item, {});
    await parked.queue.remove(`${item}.1`);
    await sweepApprovals(validator.deps);
    expect(await parked.call(item)).toMatchObject({ state: "POLICY_APPROVED", grant: 1 });
  });

  test("is denied where its job's data is edited, whatever they say then", async () => {
    const [item, other = ""] = await parked.open(asking(), 2);
    parked.consume();
    const job = await parked.queue.getJob(`${item}.1`);
    const { record } = (job?.data ?? {}) as { record: { body: string } };
    const body = { ...askBodySchema.parse(JSON.parse(record.body)), argumentsDigest: "f".repeat(64) };
    await job?.updateData({ record: { ...record, body: JSON.stringify(body) } });
    await job?.promote();
    await expect.poll(async () => parked.queue.getJob(`${item}.1`)).toBeUndefined();
    await sweepApprovals(validator.deps);
    expect(await parked.call(item)).toMatchObject({ ...NO_RUN, errorClass: "APPROVAL_REMOVED" });
    expect(await parked.call(other)).toMatchObject({ state: "AWAITING_APPROVAL" });
  });

  test("waits on where somebody edits its delay to nothing", async () => {
    const [item] = await parked.open();
    parked.consume();
    await (await parked.queue.getJob(`${item}.1`))?.changeDelay(1);
    await expect.poll(() => unsigned(item)).toBe(1);
    expect(await parked.call(item)).toMatchObject({ state: "AWAITING_APPROVAL", grant: 0 });
  });

  test("expires in its own time where somebody edits its delay to a far one", async () => {
    const [item] = await parked.open();
    await (await parked.queue.getJob(`${item}.1`))?.changeDelay(86_400_000);
    await server.redis.hset(runKeys(parked.played().run).call(item), "approvalUntil", 1);
    await sweepApprovals(validator.deps);
    expect(await parked.call(item)).toMatchObject({
      settled: "EXPIRED",
      errorClass: "APPROVAL_EXPIRED",
      grant: 0,
    });
    expect(await parked.notices()).toContain("approval_decided expired ");
    expect(await parked.queue.getJob(`${item}.1`)).toBeUndefined();
    expect(await parked.answer(item, {})).toEqual({ kind: "expired" });
    const { nonce } = await parked.call(item);
    expect(await parked.answer(item, { answer: "deny", nonce: nonce ?? "" })).toEqual({ kind: "expired" });
    expect(await parked.answer(item, { nonce: "m".repeat(20) })).toEqual({ kind: "gone" });
    const access = { redis: server.redis, keyring: validator.keyrings.console };
    await expect(readApproval(access, item)).rejects.toThrow("expired");
  });

  test("is not denied by the missing job of an earlier question, while a new one is asked", async () => {
    const [item] = await parked.open();
    const { asks } = validator.deps;
    const deps = {
      ...validator.deps,
      asks: {
        ...asks,
        // between the look at the call and the look at its job, policy changes and another validator asks anew
        exists: async (id: string) => {
          if (id !== `${item}.1`) return asks.exists(id);
          await parked
            .played()
            .step({ policy: asking({ rules: "  - { id: more, decision: allow, tool: read_file }" }) });
          await followAnswers(validator.deps, item, { why: "swept", nonce: null });
          await parked.queue.remove(id);
          return asks.exists(id);
        },
      },
    };
    await sweepApprovals(deps);
    const call = await parked.call(item);
    expect(call).toMatchObject({ state: "AWAITING_APPROVAL", request: 2, grant: 0 });
    expect(call.settled).toBeUndefined();
    expect(await parked.answer(item, {})).toMatchObject({ outcome: "approved" });
  });

  test("is not approved by a job that is added by hand, or that lies under another id", async () => {
    const [item] = await parked.open();
    parked.consume();
    const { data } = (await parked.queue.getJob(`${item}.1`)) ?? {};
    await parked.queue.add("ask", data, { jobId: `${item}.2` });
    await parked.queue.add("ask", data, { jobId: "approve-me" });
    await parked.queue.add("approval", { approve: item });
    await expect.poll(async () => parked.queue.getJobCountByTypes("wait", "active")).toBe(0);
    expect(await parked.call(item)).toMatchObject({ state: "AWAITING_APPROVAL", grant: 0 });
    expect(await unsigned(item)).toBe(0);
  });

  test("is not approved by its own record's word, nor by an answer that nobody signed", async () => {
    const [item] = await parked.open();
    const keys = runKeys(parked.played().run);
    await server.redis.hset(keys.approval(item), "ana", JSON.stringify({ v: 1, answer: "approve" }));
    await server.redis.hset(keys.call(item), {
      state: "POLICY_APPROVED",
      approvers: '["ana"]',
      notAfter: 9e15,
    });
    await server.redis.zadd(globalKeys.open, 1, `${parked.played().run}.1`);
    await sweep(validator.deps);
    expect(await parked.call(item)).toMatchObject({ state: "AWAITING_APPROVAL", grant: 0, request: 2 });
  });
});

describe("an answer", () => {
  async function asked(itemKey: string) {
    const found = await readAsked({ redis: server.redis, keyring: validator.keyrings.console }, itemKey);
    if (found === null) throw new Error("nobody asks");
    return found.ask;
  }
  const said = { answer: "approve", approver: "ana", reason: "" } as const;
  const store = (record: Parameters<typeof storeAnswer>[1]) =>
    storeAnswer({ redis: server.redis, keyring: validator.keyrings.console }, record);

  test("to another call, or with other arguments, is for nothing that is asked", async () => {
    const [item, other = ""] = await parked.open(asking(), 2);
    const [one, two] = [await asked(item), await asked(other)];
    const at = await redisNow(server.redis);
    const { approver } = validator.keyrings;
    const swapped = signAnswer(approver, { ...two, itemKey: item }, { ...said, at });
    expect(await store(swapped)).toEqual({ kind: "gone" });
    const edited = signAnswer(approver, { ...one, argumentsDigest: "f".repeat(64) }, { ...said, at });
    expect(await store(edited)).toEqual({ kind: "gone" });
  });

  test("that comes after the end is expired, and changes nothing", async () => {
    const [item] = await parked.open();
    const ask = await asked(item);
    // the clock of the store decides, not what the record says
    const early = signAnswer(validator.keyrings.approver, ask, { ...said, at: ask.askedAt });
    const late = { ...ask, expiresAt: ask.askedAt - 1 };
    const answer = approvalBodySchema.parse(JSON.parse(early.body));
    const stored = await storeDirectly(server.redis, { ask: late, answer, record: JSON.stringify(early) });
    expect(stored).toEqual({ kind: "expired" });
  });

  test("that meets its question's end on its way is expired as well", async () => {
    const [item] = await parked.open();
    const ask = await asked(item);
    const record = signAnswer(validator.keyrings.approver, ask, { ...said, at: ask.askedAt });
    await server.redis.hset(runKeys(parked.played().run).call(item), "approvalUntil", 1);
    await sweepApprovals(validator.deps);
    expect(await store(record)).toEqual({ kind: "expired" });
    const answer = approvalBodySchema.parse(JSON.parse(record.body));
    expect(await storeDirectly(server.redis, { ask, answer, record: JSON.stringify(record) })).toEqual({
      kind: "expired",
    });
  });

  test("from a host whose clock is past the end is not kept: it would count for nothing, and shut others out", async () => {
    const [item] = await parked.open();
    const ask = await asked(item);
    const record = signAnswer(validator.keyrings.approver, ask, { ...said, at: ask.expiresAt });
    expect(await store(record)).toEqual({ kind: "expired" });
    expect(await server.redis.exists(runKeys(parked.played().run).approval(item))).toBe(0);
    expect(await parked.answer(item, {})).toMatchObject({ outcome: "approved" });
  });

  test("to an earlier question about the same call is worth nothing once policy has changed", async () => {
    const [item] = await parked.open();
    const old = await asked(item);
    await parked.answer(item, {});
    await parked
      .played()
      .step({ policy: asking({ rules: "  - { id: more, decision: allow, tool: read_file }" }) });
    await sweepApprovals(validator.deps);
    const call = await parked.call(item);
    expect(call).toMatchObject({ state: "AWAITING_APPROVAL", request: 2, grant: 0 });
    expect(call.nonce).not.toBe(old.nonce);
    const replayed = signAnswer(validator.keyrings.approver, old, { ...said, at: old.askedAt });
    expect(await store(replayed)).toEqual({ kind: "gone" });
    expect(await parked.answer(item, { nonce: old.nonce })).toEqual({ kind: "gone" });
    expect(await parked.answer(item, {})).toMatchObject({ outcome: "approved" });
    await sweepApprovals(validator.deps);
    expect(await parked.call(item)).toMatchObject({ state: "POLICY_APPROVED", grant: 1 });
  });

  test("is found by the sweep where the promote was lost (row 7)", async () => {
    const [item] = await parked.open();
    const ask = await asked(item);
    const record = signAnswer(validator.keyrings.approver, ask, {
      ...said,
      at: await redisNow(server.redis),
    });
    const answer = approvalBodySchema.parse(JSON.parse(record.body));
    await storeDirectly(server.redis, { ask, answer, record: JSON.stringify(record) });
    await sweepApprovals(validator.deps);
    expect(await parked.call(item)).toMatchObject({ state: "POLICY_APPROVED", grant: 1 });
  });

  test("doesn't bring back a call that policy forbids meanwhile (row 8)", async () => {
    const [item] = await parked.open();
    await parked.answer(item, {});
    await parked
      .played()
      .step({ policy: asking({ rules: "  - { id: no, decision: forbid, tool: write_file }" }) });
    await sweepApprovals(validator.deps);
    expect(await parked.call(item)).toMatchObject({ ...NO_RUN, errorClass: "POLICY_CHANGED", rule: "no" });
  });

  test("isn't needed any more where policy allows the call meanwhile", async () => {
    const [item] = await parked.open();
    const allowing = asking()
      .replace("decision: approve", "decision: allow")
      .replace(/ approve: \{[^}]*\},/, "");
    await parked.played().step({ policy: allowing });
    await server.redis.zadd(globalKeys.open, 1, `${parked.played().run}.1`);
    await sweep(validator.deps);
    expect(await parked.call(item)).toMatchObject({ state: "POLICY_APPROVED", grant: 1 });
    expect((await parked.grantOf(item))?.approval).toBeUndefined();
  });

  test("comes too late where the run was cancelled, and takes its question off the list (row 8)", async () => {
    const [item] = await parked.open();
    const { run } = parked.played();
    const ask = await asked(item);
    const body = { version: 1, run, requestedBy: "t", kind: "cancel", reason: "" } as const;
    await onCommand(validator.deps, { body, record: {} as never, signal: new AbortController().signal });
    expect(await parked.call(item)).toMatchObject({ settled: "CANCELLED", grant: 0 });
    const record = signAnswer(validator.keyrings.approver, ask, { ...said, at: ask.askedAt });
    expect(await store(record)).toEqual({ kind: "gone" });
    await sweepApprovals(validator.deps);
    expect(await server.redis.zcard(globalKeys.approvals)).toBe(0);
    expect(await parked.queue.getJob(`${item}.1`)).toBeUndefined();
    expect(await parked.notices()).toEqual(["approval_requested", "run_ended"]);
  });
});

describe("a validator that dies while it asks", () => {
  test.each([
    ["before the question", ["askRecord", "nonce", "request", "parkedAt"]],
    ["before the job", ["parkedAt"]],
  ])("%s leaves what the sweep makes whole", async (_, fields) => {
    const [item] = await parked.open();
    const { run } = parked.played();
    await server.redis.hdel(runKeys(run).call(item), ...fields);
    await server.redis.del(globalKeys.approvals);
    await parked.queue.obliterate({ force: true });
    await server.redis.zadd(globalKeys.open, 1, `${run}.1`);
    await sweep(validator.deps);
    const call = await parked.call(item);
    expect(call).toMatchObject({ state: "AWAITING_APPROVAL", request: 1, parkedAt: expect.any(Number) });
    expect(await parked.queue.getJob(`${item}.1`)).toBeDefined();
    expect(await server.redis.zscore(globalKeys.approvals, item)).toBe(String(call.approvalUntil));
    await askPeople(validator.deps, null, item);
    expect(await parked.call(item)).toEqual(call);
    expect(await turnState(item)).toBe("calls");
  });
});
