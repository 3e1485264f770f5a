import { commandBodySchema } from "@airlock/core/contract";
import { createPublisher } from "@airlock/core/queue";
import { signRecord } from "@airlock/core/record";
import {
  createRouteBreaker,
  killedBy,
  readCall,
  readKillSwitches,
  readRun,
  turnSwitch,
} from "@airlock/core/run";
import { globalKeys } from "@airlock/core/store";
import { z } from "zod";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { awaitSwitch } from "@airlock/operator/order";
import { killRefusal } from "../../services/executor/src/call/kill-switches.ts";
import { onCommand } from "../../services/validator/src/admission/on-command.ts";
import { openTurns, type Played } from "../support/play-turns.ts";
import { startRedis, type RedisServer } from "../support/redis-server.ts";
import { createTestValidator, type TestValidator } from "../support/test-validator.ts";
import type { TurnStep } from "../support/turn-case.ts";

const PATIENT = { mismatches: 1_000, windowMs: 60_000, openMs: 60_000, probeMs: 60_000 };
const SOURCE = "/srv/app";
const ORDER = { id: "0123456789abcdefghij", by: "ada", reason: "something looks wrong" } as const;

let server: RedisServer;
let validator: TestValidator;
beforeAll(async () => {
  server = await startRedis();
  validator = createTestValidator(
    server.redis,
    { name: "gateway", family: "responses" },
    createRouteBreaker(server.redis, PATIENT),
  );
});
afterAll(async () => {
  await validator.close();
  await server.close();
});
beforeEach(() => server.redis.flushall());

const kill = (target: string) => turnSwitch(server.redis, { ...ORDER, kind: "kill", target });

function write(path: string) {
  return { tool: "write_file", arguments: { path, content: "x" }, quarantined: null };
}
function calls(...items: readonly ReturnType<typeof write>[]): TurnStep {
  const response = { errorClass: null, outputTokens: null, httpStatus: 200, stopSequence: null } as const;
  return { response: { ...response, outcome: "tool", items: [...items] } };
}
async function opened(): Promise<Played> {
  return openTurns(validator, server.redis, {
    family: "responses",
    verified: true,
    policy: undefined,
    spec: {},
  });
}
async function callOf(played: Played, ordinal: number) {
  return readCall(server.redis, `${played.run}.1.1.${ordinal}`);
}

const TARGETS = (run: string) => ["global", `repository:${SOURCE}`, "tool:write_file", `run:${run}`];

describe("a switch", () => {
  test("stops what it names and nothing else, the widest told first", async () => {
    const call = { run: "r1", tool: "write_file", source: SOURCE };
    expect(await killedBy(server.redis, call)).toBeNull();
    for (const target of TARGETS("r1").toReversed()) {
      await kill(target);
      expect(await killedBy(server.redis, call)).toBe(target);
    }
    await server.redis.hdel(globalKeys.kill, "global");
    expect(await killedBy(server.redis, { run: "r2", tool: "read_file", source: "/srv/other" })).toBeNull();
  });

  test("is turned by a signed command, and every order is told to the audit", async () => {
    const { client } = validator.keyrings;
    const order = async (kind: "kill" | "unkill"): Promise<void> => {
      const { id, reason } = ORDER;
      const body = { version: 1, requestedBy: "ada", kind, id, target: "tool:write_file", reason } as const;
      const record = signRecord(client, "command", JSON.stringify(commandBodySchema.parse(body)));
      const delivery = { purpose: "command", record, body, signal: new AbortController().signal };
      await onCommand(validator.deps, delivery);
    };
    await order("kill");
    expect(await readKillSwitches(server.redis)).toEqual([
      { target: "tool:write_file", ...ORDER, at: expect.any(Number) },
    ]);
    const asked = { target: "tool:write_file", id: ORDER.id, timeoutMs: 1 } as const;
    expect(await awaitSwitch(server.redis, { ...asked, kind: "kill" })).toBe(true);
    expect(await awaitSwitch(server.redis, { ...asked, kind: "unkill" })).toBe(false);
    await order("unkill");
    await order("unkill");
    expect(await readKillSwitches(server.redis)).toEqual([]);
    const audit = await server.redis.xrange(globalKeys.audit, "-", "+");
    const told = audit.map(([, [name, text = ""]]) => ({
      name,
      ...z.looseObject({}).parse(JSON.parse(text)),
    }));
    const line = { name: "switch", target: "tool:write_file", ...ORDER, at: expect.any(Number) };
    expect(told).toEqual([
      { ...line, kind: "kill" },
      { ...line, kind: "unkill" },
      { ...line, kind: "unkill" },
    ]);
  });

  test.each(["", "globally", "tool:", "tool:a b", "run:1", "repository:", "repository:a\nb", "user:ada"])(
    "has a name that says what it stops: %j is refused",
    (target) => {
      const body = { version: 1, requestedBy: "ada", kind: "kill", id: ORDER.id, target, reason: "why" };
      expect(commandBodySchema.safeParse(body).success).toBe(false);
    },
  );

  test("has a job of its own for each order", async () => {
    const publisher = createPublisher({ redis: server.redis, keyring: validator.keyrings.client });
    const body = {
      version: 1,
      requestedBy: "ada",
      kind: "kill",
      id: ORDER.id,
      target: "global",
      reason: "why",
    };
    const record = publisher.sign({ purpose: "command", body: commandBodySchema.parse(body) });
    await publisher.publish(record);
    await publisher.publish(record);
    expect(await server.redis.exists(`{airlock:commands}:commands:kill.${ORDER.id}`)).toBe(1);
    await publisher.close();
  });
});

describe("with a switch", () => {
  test.each(["global", `repository:${SOURCE}`])("%s no run is admitted", async (target) => {
    await kill(target);
    const { run } = await opened();
    expect(await readRun(server.redis, run)).toMatchObject({
      state: "failed",
      errorClass: "ADMISSION_REFUSED",
      detail: `a person has stopped ${target}`,
    });
  });

  test.each([0, 1, 2, 3])("no call is approved while it is set (target %i)", async (at) => {
    const played = await opened();
    await kill(TARGETS(played.run)[at] ?? "");
    await played.step(calls(write("src/a.js")));
    expect(await callOf(played, 0)).toMatchObject({ settled: "DENIED", errorClass: "KILL_SWITCH", grant: 0 });
    await played.close();
  });

  test("that is set while a call waits, the call is not released", async () => {
    const played = await opened();
    await played.step(calls(write("src/a.js"), write("src/a.js")));
    expect(await callOf(played, 1)).toMatchObject({ state: "POLICY_APPROVED", grant: 0 });
    await kill(`run:${played.run}`);
    await played.step({ results: { write_file: { status: "ok", content: {} } } });
    expect(await callOf(played, 0)).toMatchObject({ settled: "EXECUTED" });
    expect(await callOf(played, 1)).toMatchObject({ settled: "DENIED", errorClass: "KILL_SWITCH", grant: 0 });
    await played.close();
  });

  test.each([0, 1, 2, 3])("a call that was granted does not begin (target %i)", async (at) => {
    const run = "r0123456789abcdefghjk";
    const grant = { run, tool: "write_file", workspace: { source: SOURCE, ref: "main" } };
    expect(await killRefusal({ redis: server.redis }, grant)).toBeNull();
    await kill(TARGETS(run)[at] ?? "");
    const refusal = await killRefusal({ redis: server.redis }, grant);
    expect(refusal).toMatchObject({ ok: false, errorClass: "KILL_SWITCH" });
    expect(refusal).not.toHaveProperty("tellable");
  });
});
