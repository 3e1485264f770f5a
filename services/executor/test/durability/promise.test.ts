import { describe, expect, test } from "vitest";
import { promiseOf } from "../../src/durability/promise.ts";
import type { ServerFacts } from "../../src/durability/server-facts.ts";

const ALWAYS: ServerFacts = {
  epoch: "e",
  appendonly: "yes",
  appendfsync: "always",
  maxmemoryPolicy: "noeviction",
  waitaof: false,
};

describe("what Redis acknowledged", () => {
  test.each([
    [{}, 0, true, null],
    [{ appendfsync: "everysec", waitaof: true }, 0, true, { replicas: 0 }],
    [{ appendfsync: "everysec", waitaof: true }, 2, true, { replicas: 2 }],
    [{ appendfsync: "no", waitaof: true }, 0, true, { replicas: 0 }],
    [{ waitaof: true }, 1, true, { replicas: 1 }],
    [{}, 1, false, null],
    [{ appendfsync: "everysec" }, 0, false, null],
    [{ appendonly: "no", waitaof: true }, 0, false, null],
    [{ appendonly: null, appendfsync: null, waitaof: true }, 0, false, null],
    [{ maxmemoryPolicy: "allkeys-lru" }, 0, false, null],
    [{ maxmemoryPolicy: null }, 0, false, null],
  ])("with %j and %i replicas holds: %s", (change, replicas, holds, wait) => {
    const promised = promiseOf({ ...ALWAYS, ...change }, { mode: "strict", replicas });
    expect(promised.holds).toBe(holds);
    expect(promised.holds ? promised.wait : null).toEqual(wait);
    expect(promised.detail).not.toBe("");
  });

  test("counts for nothing where the operator accepted less", () => {
    const forgetful = { ...ALWAYS, appendonly: "no", maxmemoryPolicy: "allkeys-lru" };
    expect(promiseOf(forgetful, { mode: "relaxed", replicas: 0 })).toMatchObject({ holds: true, wait: null });
  });
});
