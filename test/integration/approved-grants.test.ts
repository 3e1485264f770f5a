import { createRouteBreaker } from "@airlock/core/run";
import { runKeys } from "@airlock/core/store";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { ExecutionBody } from "@airlock/core/contract";
import { signRecord } from "@airlock/core/record";
import { createLedger } from "@airlock/core/ledger";
import { onExecution } from "../../services/executor/src/call/on-execution.ts";
import { openCall } from "../../services/executor/src/grant/open-call.ts";
import type { Deps } from "../../services/executor/src/deps.ts";
import { sweepApprovals } from "../../services/validator/src/approval/sweep-approvals.ts";
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
  const breaker = createRouteBreaker(server.redis, PATIENT);
  validator = createTestValidator(server.redis, route, breaker, { approvalMs: 600_000 });
  parked = openParkedCalls(server.redis, validator);
});
afterEach(async () => {
  await parked.close();
  await validator.close();
});

describe("an executor that gets the grant of an approved call", () => {
  let item: string;
  let grant: ExecutionBody;
  const INVALID = { ok: false, errorClass: "APPROVAL_INVALID" };

  beforeEach(async () => {
    [item] = await parked.open(asking({ quorum: 2 }));
    await parked.answer(item, { approver: "ana" });
    await parked.answer(item, { approver: "bea" });
    await sweepApprovals(validator.deps);
    const found = await parked.grantOf(item);
    if (found === null) throw new Error("no grant");
    grant = found;
  });

  function opened(change: Partial<ExecutionBody> = {}): ReturnType<typeof openCall> {
    const { redis, policies, catalog, judge } = validator.deps;
    const deps = { redis, policies, catalog, judge, keyring: validator.keyrings.executor };
    return openCall(deps as unknown as Deps, { ...grant, ...change });
  }
  const answers = (): string => runKeys(parked.played().run).approval(item);

  test("opens it where the stored answers carry it", async () => {
    expect(await opened()).toMatchObject({ ok: true, args: { path: "src/0.js" } });
  });

  test("gives a read back at once whose item can't be read, and claims it again", async () => {
    const { redis, keyring, policies, catalog, judge } = validator.deps;
    const ledger = createLedger(redis);
    const reading = { ...grant, effect: "read" } as const;
    // the connection breaks between the claim and the item
    const broken = new Proxy(redis, {
      get: (target, name): unknown =>
        name === "get"
          ? async () => {
              await expect.poll(async () => (await ledger.read(item))?.state).toBe("CLAIMED");
              throw new Error("the connection broke");
            }
          : Reflect.get(target, name, target),
    });
    const durability = { enter: async () => ({ still: () => true }), knownFence: () => 0 };
    const shared = { keyring, policies, catalog, judge, ledger, durability, owner: "e1" };
    const deps = { ...shared, redis: broken, config: { leaseMs: 600_000 } } as unknown as Deps;
    const { signal } = new AbortController();
    const delivery = { body: reading, record: {} as never, signal };
    await expect(onExecution(deps, delivery)).rejects.toThrow("the connection broke");
    expect(await ledger.read(item)).toMatchObject({ state: "POLICY_APPROVED", fence: 1 });
    await expect(onExecution(deps, delivery)).rejects.toThrow("the connection broke");
    expect(await ledger.read(item)).toMatchObject({ state: "POLICY_APPROVED", fence: 2 });
  });

  test("refuses it where one of them is gone, or all are", async () => {
    await server.redis.hdel(answers(), "bea");
    expect(await opened()).toMatchObject(INVALID);
    await server.redis.del(answers());
    expect(await opened()).toMatchObject(INVALID);
  });

  test("refuses it where one of them is forged, in whichever name", async () => {
    const text = (await server.redis.hget(answers(), "bea")) ?? "";
    const { body } = JSON.parse(text) as { body: string };
    const posing = { ...validator.keyrings.validator, role: "approver" } as const;
    await server.redis.hset(answers(), "bea", JSON.stringify(signRecord(posing, "approval", body)));
    expect(await opened()).toMatchObject(INVALID);
    await server.redis.hset(answers(), "bea", (await server.redis.hget(answers(), "ana")) ?? "");
    expect(await opened()).toMatchObject(INVALID);
  });

  test("refuses it where somebody denied after all", async () => {
    const text = (await server.redis.hget(answers(), "bea")) ?? "";
    const { body } = JSON.parse(text) as { body: string };
    const denied = JSON.stringify({ ...(JSON.parse(body) as object), answer: "deny" });
    const record = signRecord(validator.keyrings.approver, "approval", denied);
    await server.redis.hset(answers(), "bea", JSON.stringify(record));
    expect(await opened()).toMatchObject(INVALID);
  });

  test("refuses one that the validator signed with another nonce, fewer people, or none at all", async () => {
    const { approval, ...bare } = grant;
    if (approval === undefined) throw new Error("no approval");
    expect(await opened({ approval: { ...approval, nonce: "m".repeat(20) } })).toMatchObject(INVALID);
    const unapproved = { ok: false, errorClass: "POLICY_CHANGED" };
    expect(await opened({ approval: { ...approval, quorum: 1 } })).toMatchObject(unapproved);
    grant = bare;
    expect(await opened()).toMatchObject(unapproved);
    expect(await opened({ repeats: `${grant.run}.1.1.1` })).toMatchObject(unapproved);
  });
});
