// A ledger in, the same ledger out, with what it answered counted: which transitions it made, and which writes a fence refused.
import type { Transition } from "@airlock/core/call";
import type { Conclusion, Ledger } from "@airlock/core/ledger";
import type { Metrics } from "@airlock/core/runtime";

const CONCLUDED = {
  executed: "recover",
  not_executed: "disprove",
  inconclusive: "ask_person",
} as const satisfies Record<Conclusion["finding"], Transition>;
const RESOLVED = { executed: "resolve_done", not_executed: "resolve_undone" } as const;

export function countedLedger(ledger: Ledger, metrics: Pick<Metrics, "count">): Ledger {
  const made = (transition: Transition): void =>
    metrics.count("airlock_ledger_transitions_total", { transition });
  const fenced = async (operation: string, transition: Transition, done: Promise<boolean>) => {
    const did = await done;
    if (did) made(transition);
    else metrics.count("airlock_fence_rejections_total", { operation });
    return did;
  };
  return {
    async claim(request) {
      const answer = await ledger.claim(request);
      if (answer.kind === "claimed") made("claim");
      return answer;
    },
    async begin(itemKey, fence, beginning) {
      const answer = await ledger.begin(itemKey, fence, beginning);
      if (answer === "started") made("begin");
      if (answer === "stale") metrics.count("airlock_fence_rejections_total", { operation: "begin" });
      return answer;
    },
    unbegin: (itemKey, fence) => fenced("unbegin", "unbegin", ledger.unbegin(itemKey, fence)),
    release: (itemKey, fence) => fenced("release", "release", ledger.release(itemKey, fence)),
    end: (itemKey, fence, ending) => fenced("end", ending.transition, ledger.end(itemKey, fence, ending)),
    async renew(itemKey, fence, leaseMs) {
      const renewed = await ledger.renew(itemKey, fence, leaseMs);
      if (!renewed) metrics.count("airlock_fence_rejections_total", { operation: "renew" });
      return renewed;
    },
    async loseUnseen(itemKey, known) {
      const lost = await ledger.loseUnseen(itemKey, known);
      if (lost) made("lose_unseen");
      return lost;
    },
    async reconcile(itemKey, by) {
      const answer = await ledger.reconcile(itemKey, by);
      if (answer.kind === "reconciling") made("reconcile");
      return answer;
    },
    conclude: (itemKey, fence, conclusion) =>
      fenced("conclude", CONCLUDED[conclusion.finding], ledger.conclude(itemKey, fence, conclusion)),
    async resolve(itemKey, resolution) {
      const resolved = await ledger.resolve(itemKey, resolution);
      if (resolved) made(RESOLVED[resolution.finding]);
      return resolved;
    },
    keepEvidence: (itemKey, evidence) => ledger.keepEvidence(itemKey, evidence),
    read: (itemKey) => ledger.read(itemKey),
  };
}
