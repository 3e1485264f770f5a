import { createRouteBreaker, readConversation, readRun } from "@airlock/core/run";
import { globalKeys, runKeys } from "@airlock/core/store";
import type { ConversationEntry } from "@airlock/core/wire";
import { approvalDocumentSchema, readApproval } from "@airlock/operator/document";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { sweepApprovals } from "../../services/validator/src/approval/sweep-approvals.ts";
import { advanceTurn } from "../../services/validator/src/settlement/advance-turn.ts";
import { sweep } from "../../services/validator/src/sweep/sweeper.ts";
import { startTestConsole } from "../support/console.ts";
import { openParkedCalls, type ParkedCalls } from "../support/parked-calls.ts";
import { startRedis, type RedisServer } from "../support/redis-server.ts";
import { createTestValidator, type TestValidator } from "../support/test-validator.ts";

const PATIENT = { mismatches: 1_000, windowMs: 60_000, openMs: 60_000, probeMs: 60_000 };

function asking(rule = "decision: approve, approve: { quorum: 1 }"): string {
  return `apiVersion: airlock.policy/v1
mode: enforce
paths: { read: { allow: ["**"] }, write: { allow: ["**"] } }
rules:
  - { id: refunds, tool: "hosted:shop/refund", ${rule} }
`;
}

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

async function answers(): Promise<readonly ConversationEntry[]> {
  const entries = await readConversation(validator.deps, parked.played().run);
  return entries.filter(({ type }) => type === "hosted_answer" || type === "call_result");
}

function answer(itemKey: string, approve: boolean): ConversationEntry {
  const ordinal = itemKey.slice(itemKey.lastIndexOf(".") + 1);
  return { type: "hosted_answer", itemKey, requestId: `request-${ordinal}`, approve };
}

test("a request that a person approves is answered with yes, once, without any grant", async () => {
  const [item] = await parked.openHosted(asking(), ["refund"]);
  expect(await answers()).toEqual([]);
  expect(await parked.answer(item, {})).toMatchObject({ outcome: "approved" });
  parked.consume();
  await expect.poll(answers, { timeout: 20_000 }).toEqual([answer(item, true)]);
  await sweepApprovals(validator.deps);
  const parts = { run: parked.played().run, turn: 1 };
  await advanceTurn(validator.deps, parts);
  await server.redis.zadd(globalKeys.open, 1, `${parts.run}.1`);
  await sweep(validator.deps);
  expect(await answers()).toEqual([answer(item, true)]);
  const call = await parked.call(item);
  expect(call).toMatchObject({ settled: "POLICY_APPROVED", grant: 0, approvers: ["ana"] });
  expect(await parked.grantOf(item)).toBeNull();
  expect(await parked.notices()).toEqual(["approval_requested", "approval_decided approved ana"]);
  expect(await readRun(server.redis, parts.run)).toMatchObject({ state: "running", turn: 2 });
});

test("one that a person denies is answered with no, and stays so", async () => {
  const [item] = await parked.openHosted(asking(), ["refund"]);
  expect(await parked.answer(item, { answer: "deny" })).toMatchObject({ outcome: "denied" });
  expect(await parked.answer(item, { approver: "bob" })).toMatchObject({ kind: "conflict" });
  await sweepApprovals(validator.deps);
  expect(await answers()).toEqual([answer(item, false)]);
  expect(await parked.call(item)).toMatchObject({ settled: "DENIED", errorClass: "APPROVAL_DENIED" });
});

test("nothing but signed answers says yes, whatever the call's own record says", async () => {
  const [item, other = ""] = await parked.openHosted(asking(), ["refund", "refund"]);
  const { run } = parked.played();
  const forged = { state: "POLICY_APPROVED", settled: "POLICY_APPROVED", approvers: '["ana"]' };
  await server.redis.hset(runKeys(run).call(item), forged);
  await server.redis.hset(runKeys(run).turn(1), `call:${item}`, "settled");
  expect(await parked.answer(other, {})).toMatchObject({ outcome: "approved" });
  await sweepApprovals(validator.deps);
  expect(await answers()).toEqual([answer(item, false), answer(other, true)]);
});

test("a state that was only edited to be approved is asked about anew", async () => {
  const [item] = await parked.openHosted(asking(), ["refund"]);
  const { run } = parked.played();
  await server.redis.hset(runKeys(run).call(item), { state: "POLICY_APPROVED", notAfter: 9e15 });
  await advanceTurn(validator.deps, { run, turn: 1 });
  expect(await answers()).toEqual([]);
  expect(await parked.call(item)).toMatchObject({ state: "AWAITING_APPROVAL", request: 2 });
});

test("several requests get one answer each, in their order, once the last is decided", async () => {
  const [item, other = "", unnamed = ""] = await parked.openHosted(asking(), ["refund", "refund", "drop"]);
  await parked.answer(item, {});
  await sweepApprovals(validator.deps);
  expect(await answers()).toEqual([]);
  await parked.answer(other, { answer: "deny" });
  await sweepApprovals(validator.deps);
  expect(await answers()).toEqual([answer(item, true), answer(other, false), answer(unnamed, false)]);
  expect(await parked.call(unnamed)).toMatchObject({
    tool: "(unregistered)",
    errorClass: "POLICY_FORBIDDEN",
  });
});

test("one that policy forbids by the time of its approval is answered with no", async () => {
  const [item] = await parked.openHosted(asking(), ["refund"]);
  await parked.answer(item, {});
  await parked.played().step({ policy: asking("decision: forbid") });
  await sweepApprovals(validator.deps);
  expect(await answers()).toEqual([answer(item, false)]);
});

test("a run that ends takes its request along unanswered", async () => {
  const [item] = await parked.openHosted(asking(), ["refund"]);
  const { run } = parked.played();
  await parked.played().step({ now: "after the deadline" });
  expect(await parked.call(item)).toMatchObject({ settled: "CANCELLED" });
  expect(await answers()).toEqual([]);
  await sweepApprovals(validator.deps);
  expect(await server.redis.zcard(globalKeys.approvals)).toBe(0);
  expect((await readRun(server.redis, run))?.endedAt).toBeDefined();
});

test("an approver sees the arguments, and that a provider runs them", async () => {
  const [item] = await parked.openHosted(asking(), ["refund"]);
  const access = { redis: server.redis, keyring: validator.keyrings.console };
  const document = approvalDocumentSchema.parse(await readApproval(access, item));
  expect(document).toMatchObject({
    tool: "hosted:shop/refund",
    rule: "refunds",
    evidence: {
      arguments: { order: 7 },
      shown: { kind: "json" },
      hosted: { server: "shop", name: "refund", runs: "provider" },
    },
  });
});

test("the page of a request says that Airlock does not hold what runs; that of a call of its own does not", async () => {
  const console = await startTestConsole({ redis: server.redis, keyrings: validator.keyrings });
  try {
    const approver = await console.login("approver");
    const shown = async (item: string) => (await approver.get(`/approvals/${item}`)).text();
    const [hosted] = await parked.openHosted(asking(), ["refund"]);
    const html = (await shown(hosted)).replaceAll(/<[^>]+>|\s+/g, " ").replaceAll(/ +/g, " ");
    expect(html).toContain("The model's provider runs this: tool refund of its server shop .");
    expect(html).toContain("Airlock's sandbox and limits hold nothing there.");
    const [own] = await parked.open();
    expect(await shown(own)).not.toMatch(/provider runs this/);
  } finally {
    await console.close();
  }
});
