import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { callDependencies, turnProgress, type CallStage, type TurnHash } from "@airlock/core/run";
import type { ResourceClaims } from "@airlock/core/tool";

const none = { reads: [], writes: [], workspace: "none" } as const;
const reads = (...paths: string[]): ResourceClaims => ({ ...none, reads: paths });
const writes = (...paths: string[]): ResourceClaims => ({ ...none, writes: paths });
const command: ResourceClaims = { ...none, workspace: "write" };

function needs(
  claims: readonly ResourceClaims[],
  parallel: "on" | "off" = "on",
): readonly (readonly string[])[] {
  const calls = claims.map((each, at) => ({ itemKey: String(at), claims: each }));
  return [...callDependencies(calls, parallel).values()];
}

function turnOf(calls: Readonly<Record<string, readonly [CallStage, readonly string[]]>>): TurnHash {
  const entries = Object.entries(calls).map(([key, [stage, need]]) => [key, { stage, needs: need }] as const);
  return {
    state: "calls",
    attempt: 1,
    maxOutputTokens: null,
    calls: new Map(entries),
    refusals: new Map(),
    early: [],
  };
}

describe("a call waits for", () => {
  test.each<[string, readonly ResourceClaims[], readonly (readonly string[])[]]>([
    ["nothing, where all read", [reads("a"), reads("a"), { ...none, workspace: "read" }], [[], [], []]],
    ["an earlier write of what it reads", [writes("a"), reads("a")], [[], ["0"]]],
    ["an earlier read of what it writes", [reads("a"), writes("a")], [[], ["0"]]],
    ["an earlier write of a folder above", [writes("a"), reads("a/b")], [[], ["0"]]],
    ["nothing, where other paths are touched", [writes("a"), writes("b"), reads("c")], [[], [], []]],
    ["an earlier command, which may touch all", [command, reads("a"), command], [[], ["0"], ["0", "1"]]],
    ["each of several", [writes("a"), writes("b"), reads("a", "b")], [[], [], ["0", "1"]]],
  ])("%s", (_, claims, expected) => {
    expect(needs(claims)).toEqual(expected);
  });

  test("all earlier ones, with parallel off", () => {
    expect(needs([reads("a"), reads("b"), reads("c")], "off")).toEqual([[], ["0"], ["0", "1"]]);
  });
});

describe("the progress of a turn", () => {
  test.each<[string, Parameters<typeof turnOf>[0], { free: readonly string[]; open: number }]>([
    ["without calls", {}, { free: [], open: 0 }],
    ["with a call that waits for nothing", { a: ["waiting", []] }, { free: ["a"], open: 1 }],
    [
      "with a released call that another needs",
      { a: ["released", []], b: ["waiting", ["a"]] },
      { free: [], open: 2 },
    ],
    [
      "with a settled call that another needs",
      { a: ["settled", []], b: ["waiting", ["a"]] },
      { free: ["b"], open: 1 },
    ],
    ["with a need that is no call of the turn", { b: ["waiting", ["x"]] }, { free: [], open: 1 }],
    ["that is over", { a: ["settled", []], b: ["settled", ["a"]] }, { free: [], open: 0 }],
  ])("%s", (_, calls, expected) => {
    expect(turnProgress(turnOf(calls))).toEqual(expected);
  });
});

describe("for any calls and any order of settlements", () => {
  const path = fc.constantFrom("a", "a/b", "b", "c");
  const claims = fc.record({
    reads: fc.uniqueArray(path, { maxLength: 2 }),
    writes: fc.uniqueArray(path, { maxLength: 2 }),
    workspace: fc.constantFrom("none" as const, "read" as const, "write" as const),
  });

  test("needs point back only, and every call becomes free in the end", () => {
    const turns = fc.array(claims, { maxLength: 12 });
    fc.assert(
      fc.property(
        turns,
        fc.constantFrom("on" as const, "off" as const),
        fc.infiniteStream(fc.nat()),
        (all, parallel, picks) => {
          const dependencies = callDependencies(
            all.map((each, at) => ({ itemKey: String(at), claims: each })),
            parallel,
          );
          for (const [key, others] of dependencies) {
            expect(others.every((other) => Number(other) < Number(key))).toBe(true);
          }
          const stages = new Map<string, CallStage>([...dependencies.keys()].map((key) => [key, "waiting"]));
          const progress = (): ReturnType<typeof turnProgress> =>
            turnProgress({
              state: "calls",
              attempt: 1,
              maxOutputTokens: null,
              refusals: new Map(),
              early: [],
              calls: new Map(
                [...stages].map(([key, stage]) => [key, { stage, needs: dependencies.get(key) ?? [] }]),
              ),
            });
          while (progress().open > 0) {
            for (const key of progress().free) stages.set(key, "released");
            const running = [...stages].filter(([, stage]) => stage === "released").map(([key]) => key);
            expect(running.length).toBeGreaterThan(0);
            const { value } = picks.next();
            stages.set(running[Number(value) % running.length] ?? "", "settled");
          }
          expect([...stages.values()].every((stage) => stage === "settled")).toBe(true);
        },
      ),
    );
  });
});
