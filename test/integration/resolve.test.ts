import { Queue } from "bullmq";
import { commandBodySchema, resolutionBodySchema, type ResolveBody } from "@airlock/core/contract";
import { createPublisher, queuePrefix } from "@airlock/core/queue";
import { itemKey, newRunId, signRecord } from "@airlock/core/record";
import { createRouteBreaker, readActions, type ActionAnswer } from "@airlock/core/run";
import { globalKeys, runKeys } from "@airlock/core/store";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { onCommand } from "../../services/validator/src/admission/on-command.ts";
import { onResult } from "../../services/validator/src/settlement/on-result.ts";
import { startRedis, type RedisServer } from "../support/redis-server.ts";
import { createTestValidator, type TestValidator } from "../support/test-validator.ts";

const never = new AbortController().signal;

let server: RedisServer;
let validator: TestValidator;
let executions: Queue;
let run: string;
let item: string;

beforeAll(async () => {
  server = await startRedis();
  const patient = { mismatches: 1_000, windowMs: 1_000, openMs: 1_000, probeMs: 1_000 };
  const breaker = createRouteBreaker(server.redis, patient);
  validator = createTestValidator(server.redis, { name: "r", family: "responses" }, breaker);
  executions = new Queue("executions.default", {
    connection: server.redis,
    prefix: queuePrefix("executions.default"),
  });
});
afterAll(async () => {
  await executions.close();
  await validator.close();
  await server.close();
});
beforeEach(async () => {
  await server.redis.flushall();
  run = await validator.submit();
  item = itemKey({ run, turn: 1, attempt: 1, ordinal: 0 });
});

async function ledgerSays(fields: Readonly<Record<string, string>>): Promise<void> {
  const entry = { fence: 2, owner: "e", grant: 1, digest: "d", tool: "run_command", effect: "mutating" };
  await server.redis.hset(runKeys(run).ledger(item), { ...entry, leaseUntil: 0, ...fields });
}

function resolve(change: Partial<ResolveBody> = {}): ResolveBody {
  return commandBodySchema.parse({
    version: 1,
    run,
    requestedBy: "ana",
    id: newRunId().slice(1),
    kind: "resolve",
    target: item,
    finding: "executed",
    reason: "I looked",
    ...change,
  }) as ResolveBody;
}

async function command(body: ResolveBody): Promise<void> {
  const record = signRecord(validator.keyrings.client, "command", JSON.stringify(body));
  await onCommand(validator.deps, { body, record, signal: never });
}

/** What the audit says came of a command; undefined while nobody has said anything. */
async function answerTo({ id }: ResolveBody): Promise<ActionAnswer | undefined> {
  const entries = await server.redis.xrange(globalKeys.audit, "-", "+");
  const actions = entries.map(
    ([, [, text = ""]]) => JSON.parse(text) as { id: string; answer: ActionAnswer },
  );
  return actions.findLast((action) => action.id === id)?.answer;
}

async function orders() {
  const jobs = await executions.getJobs(["waiting", "delayed", "prioritized"]);
  return jobs.map((job) => {
    const { record } = job.data as { readonly record: { readonly purpose: string; readonly body: string } };
    expect(record.purpose).toBe("resolution");
    return resolutionBodySchema.parse(JSON.parse(record.body));
  });
}

/** The executor's answer to an order. */
async function executorSays(done: boolean): Promise<void> {
  const [order] = await orders();
  if (order === undefined) throw new Error("no order was given");
  const { pool: _, ...resolution } = order;
  const body = { ...resolution, kind: "resolved", done } as const;
  const executor = createPublisher({ redis: server.redis, keyring: validator.keyrings.executor });
  const record = executor.sign({ purpose: "result", body });
  await onResult(validator.deps, { body, record, signal: never });
  await executor.close();
}

describe("a finding on a call", () => {
  test("that waits for a person becomes a signed order, and is answered when an executor has followed it", async () => {
    await ledgerSays({ state: "NEEDS_HUMAN" });
    const body = resolve();
    await command(body);
    await command(body); // delivered again
    const { version, id, finding, reason } = body;
    const told = { version, run, id, itemKey: item, pool: "default", finding, by: "ana", reason };
    expect(await orders()).toEqual([told]);
    expect(await answerTo(body)).toBeUndefined();
    await executorSays(true);
    expect(await answerTo(body)).toBe("resolved");
    expect(await readActions(server.redis, run)).toMatchObject([
      { id, kind: "resolve", target: item, finding: "executed", by: "ana", reason, answer: "resolved" },
    ]);
  });

  test("that another one's finding overtook is answered so", async () => {
    await ledgerSays({ state: "NEEDS_HUMAN" });
    const body = resolve();
    await command(body);
    await executorSays(false);
    expect(await answerTo(body)).toBe("resolved_before");
  });

  const before = (by: string) => JSON.stringify({ finding: "executed", by, reason: "I looked" });
  test.each<[string, Readonly<Record<string, string>> | null, ActionAnswer]>([
    ["that no executor ever began", null, "no_call"],
    ["that runs", { state: "STARTED" }, "not_unknown"],
    ["whose end was seen", { state: "EXECUTED" }, "not_unknown"],
    ["that waits for a reconciler", { state: "OUTCOME_UNKNOWN" }, "still_reconciled"],
    ["that is reconciled", { state: "RECONCILING" }, "still_reconciled"],
    ["that somebody resolved", { state: "EXECUTED", resolution: before("ben") }, "resolved_before"],
  ])("%s is refused at once", async (_, fields, answer) => {
    if (fields !== null) await ledgerSays(fields);
    const body = resolve();
    await command(body);
    expect(await answerTo(body)).toBe(answer);
    expect(await orders()).toEqual([]);
  });

  test("of another run is refused", async () => {
    const body = resolve({ target: itemKey({ run: newRunId(), turn: 1, attempt: 1, ordinal: 0 }) });
    await command(body);
    expect(await answerTo(body)).toBe("target_refused");
  });

  test("that was followed while the command was on its way again is asked for again, not refused", async () => {
    await ledgerSays({ state: "EXECUTED", resolution: before("ana") });
    await command(resolve());
    expect(await orders()).toHaveLength(1);
  });

  test("is answered for a run whose keys are gone, as long as the ledger has the call", async () => {
    await ledgerSays({ state: "NEEDS_HUMAN" });
    const keys = await server.redis.keys(`airlock:{${run}}:*`);
    await server.redis.del(...keys.filter((key) => !key.includes(":ledger:")));
    const body = resolve();
    await command(body);
    await executorSays(true);
    expect(await answerTo(body)).toBe("resolved");
    expect(await server.redis.keys(`airlock:{${run}}:*`)).toEqual([runKeys(run).ledger(item)]);
  });

  test.each([
    ["no reason", { reason: " " }],
    ["a reason of two lines", { reason: "a\nb" }],
    ["another target than a call", { target: "r0123456789abcdefghjk" }],
  ])("is no command with %s", (_, change) => {
    expect(commandBodySchema.safeParse({ ...resolve(), ...change }).success).toBe(false);
  });
});
