import type { Ledger } from "@airlock/core/ledger";
import { describe, expect, test } from "vitest";
import { noMetrics } from "../../../test/support/no-metrics.ts";
import { countedLedger } from "../src/counted-ledger.ts";
import { countedBackend, DEFAULT_SANDBOX_LIMITS, type SandboxBackend } from "../src/sandbox/index.ts";

const ITEM = "r0123456789abcdefghjk.1.1.0";

function counting() {
  const counted: string[] = [];
  const metrics = noMetrics((name, labels) => void counted.push([name, ...Object.values(labels)].join(" ")));
  return { counted, metrics };
}

/** A ledger that gives the same answer to everything. */
function answering(answer: unknown): Ledger {
  const say = () => Promise.resolve(answer);
  const names = [
    "claim",
    "begin",
    "unbegin",
    "end",
    "renew",
    "release",
    "loseUnseen",
    "reconcile",
    "conclude",
  ];
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- whatever is asked, the answer is the same
  return Object.fromEntries(
    [...names, "resolve", "keepEvidence", "read"].map((name) => [name, say]),
  ) as never;
}

describe("a counted ledger", () => {
  test.each([["commit"], ["deny"]] as const)(
    "tells each transition that it made, an end by %s among them",
    async (transition) => {
      const { counted, metrics } = counting();
      const ledger = countedLedger(answering(true), metrics);
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only the transition is looked at
      await ledger.end(ITEM, 1, { transition } as never);
      await ledger.unbegin(ITEM, 1);
      await ledger.release(ITEM, 1);
      await ledger.conclude(ITEM, 1, { finding: "inconclusive" });
      await ledger.resolve(ITEM, { finding: "not_executed", by: "a", reason: "b" });
      await ledger.renew(ITEM, 1, 1);
      const made = [transition, "unbegin", "release", "ask_person", "resolve_undone"];
      expect(counted).toEqual(made.map((name) => `airlock_ledger_transitions_total ${name}`));
    },
  );

  test("tells each write that a fence refused, and no transition", async () => {
    const { counted, metrics } = counting();
    const ledger = countedLedger(answering(false), metrics);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only the transition is looked at
    await ledger.end(ITEM, 1, { transition: "commit" } as never);
    await ledger.unbegin(ITEM, 1);
    await ledger.release(ITEM, 1);
    await ledger.renew(ITEM, 1, 1);
    await ledger.conclude(ITEM, 1, { finding: "not_executed" });
    await countedLedger(answering("stale"), metrics).begin(ITEM, 1, { expected: null });
    await ledger.resolve(ITEM, { finding: "executed", by: "a", reason: "b" });
    const refused = ["end", "unbegin", "release", "renew", "conclude", "begin"];
    expect(counted).toEqual(refused.map((name) => `airlock_fence_rejections_total ${name}`));
  });

  test("tells a claim and a start", async () => {
    const { counted, metrics } = counting();
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the request is not looked at
    await countedLedger(answering({ kind: "claimed" }), metrics).claim({} as never);
    await countedLedger(answering("started"), metrics).begin(ITEM, 1, { expected: null });
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the request is not looked at
    await countedLedger(answering({ kind: "held" }), metrics).claim({} as never);
    expect(counted).toEqual(["claim", "begin"].map((name) => `airlock_ledger_transitions_total ${name}`));
  });
});

test.each([
  ["exited", "airlock_sandbox_starts_total none exited"],
  ["timeout", "airlock_sandbox_starts_total none timeout"],
  ["unknown", "airlock_sandbox_starts_total none unknown"],
  ["sandbox_failed", "airlock_sandbox_refusals_total sandbox_failed"],
  ["command_not_found", "airlock_sandbox_refusals_total command_not_found"],
])("a program that ended as %s is told once", async (kind, line) => {
  const { counted, metrics } = counting();
  const session = { backend: "none", exec: () => Promise.resolve({ kind }), close: () => Promise.resolve() };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what else a sandbox can do is not asked of it
  const backend = { name: "none", open: () => Promise.resolve(session) } as unknown as SandboxBackend;
  const opened = await countedBackend(backend, metrics).open(
    { tree: "/t", git: null },
    DEFAULT_SANDBOX_LIMITS,
  );
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the request is not looked at
  await opened.exec({} as never, AbortSignal.timeout(1_000));
  expect(counted).toEqual([line]);
});
