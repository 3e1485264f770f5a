import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  applyTransition,
  fromStates,
  isFinal,
  ITEM_STATES,
  TRANSITIONS,
  type ItemState,
  type Transition,
} from "@airlock/core/call";

const STATES = Object.keys(ITEM_STATES) as ItemState[];
const NAMES = Object.keys(TRANSITIONS) as Transition[];

/** The arrows of the ledger's contract, written down once more: what is not here is not allowed. */
const ALLOWED: Readonly<Record<Transition, readonly `${ItemState}>${ItemState}`[]>> = {
  open: ["RECEIVING>ITEM_OPEN"],
  finish: ["ITEM_OPEN>ITEM_TERMINAL"],
  parse: ["ITEM_TERMINAL>PARSED"],
  accept_schema: ["PARSED>SCHEMA_VALID"],
  quarantine: [
    "RECEIVING>QUARANTINED",
    "ITEM_OPEN>QUARANTINED",
    "ITEM_TERMINAL>QUARANTINED",
    "PARSED>QUARANTINED",
    "SCHEMA_VALID>QUARANTINED",
  ],
  allow: ["SCHEMA_VALID>POLICY_APPROVED"],
  ask: ["SCHEMA_VALID>AWAITING_APPROVAL"],
  approve: ["AWAITING_APPROVAL>POLICY_APPROVED"],
  deny: ["SCHEMA_VALID>DENIED", "AWAITING_APPROVAL>DENIED", "POLICY_APPROVED>DENIED", "CLAIMED>DENIED"],
  expire: ["AWAITING_APPROVAL>EXPIRED", "POLICY_APPROVED>EXPIRED", "CLAIMED>EXPIRED"],
  cancel: ["AWAITING_APPROVAL>CANCELLED", "POLICY_APPROVED>CANCELLED", "CLAIMED>CANCELLED"],
  claim: ["POLICY_APPROVED>CLAIMED"],
  release: ["CLAIMED>POLICY_APPROVED"],
  redecide: ["AWAITING_APPROVAL>SCHEMA_VALID", "POLICY_APPROVED>SCHEMA_VALID"],
  begin: ["CLAIMED>STARTED"],
  commit: ["STARTED>EXECUTED"],
  unbegin: ["STARTED>POLICY_APPROVED"],
  lose: ["STARTED>OUTCOME_UNKNOWN"],
  lose_unseen: ["POLICY_APPROVED>OUTCOME_UNKNOWN", "CLAIMED>OUTCOME_UNKNOWN"],
  allow_again: ["OUTCOME_UNKNOWN>POLICY_APPROVED"],
  reconcile: ["OUTCOME_UNKNOWN>RECONCILING", "RECONCILING>RECONCILING"],
  recover: ["RECONCILING>EXECUTED"],
  disprove: ["RECONCILING>NOT_EXECUTED"],
  ask_person: ["RECONCILING>NEEDS_HUMAN"],
  resolve_done: ["NEEDS_HUMAN>EXECUTED"],
  resolve_undone: ["NEEDS_HUMAN>NOT_EXECUTED"],
};

describe("the transition", () => {
  test.each(NAMES)("%s leaves exactly the states of its row, and enters one", (name) => {
    const seen = STATES.flatMap((state) => {
      const next = applyTransition(state, name);
      return next === null ? [] : [`${state}>${next}`];
    });
    expect(seen.toSorted()).toEqual(ALLOWED[name].toSorted());
  });

  test.each(NAMES)("%s reads the same in the scripts' form", (name) => {
    const listed = STATES.filter((state) => fromStates(name).includes(`,${state},`));
    const rows = ALLOWED[name].map((arrow) => arrow.split(">")[0] ?? "");
    expect(listed.toSorted()).toEqual(rows.toSorted());
  });
});

describe("any order of transitions", () => {
  const choices = fc.array(fc.nat(), { maxLength: 40 });

  /** Each number chooses one of the transitions that are allowed then, so that walks are long. */
  function walk(numbers: readonly number[]): readonly ItemState[] {
    const path: ItemState[] = ["RECEIVING"];
    for (const number of numbers) {
      const here = path.at(-1) ?? "RECEIVING";
      const next = NAMES.flatMap((name) => applyTransition(here, name) ?? []);
      const chosen = next[number % Math.max(next.length, 1)];
      if (chosen !== undefined) path.push(chosen);
    }
    return path;
  }

  test("reaches STARTED only through POLICY_APPROVED and then CLAIMED", () => {
    fc.assert(
      fc.property(choices, (numbers) => {
        const path = walk(numbers);
        path.forEach((state, at) => {
          if (state === "STARTED") expect(path.slice(at - 2, at)).toEqual(["POLICY_APPROVED", "CLAIMED"]);
        });
      }),
      { numRuns: 2_000 },
    );
  });

  test("never leaves a final state", () => {
    for (const state of STATES.filter(isFinal)) {
      for (const name of NAMES) expect(applyTransition(state, name)).toBeNull();
    }
  });

  test("finds no way to STARTED or EXECUTED around POLICY_APPROVED, by looking at every arrow", () => {
    const arrows = Object.values(ALLOWED).flat();
    const reachable = new Set<string>(["RECEIVING"]);
    for (let grown = true; grown;) {
      const before = reachable.size;
      for (const arrow of arrows) {
        const [from = "", to = ""] = arrow.split(">");
        if (reachable.has(from) && to !== "POLICY_APPROVED") reachable.add(to);
      }
      grown = reachable.size > before;
    }
    expect([...reachable].toSorted()).toEqual(
      [
        "AWAITING_APPROVAL",
        "CANCELLED",
        "DENIED",
        "EXPIRED",
        "ITEM_OPEN",
        "ITEM_TERMINAL",
        "PARSED",
        "QUARANTINED",
        "RECEIVING",
        "SCHEMA_VALID",
      ].toSorted(),
    );
  });

  test("can reach every state of the table", () => {
    const entered = new Set<string>(Object.values(TRANSITIONS).map(({ to }) => to));
    expect(STATES.filter((state) => !entered.has(state))).toEqual(["RECEIVING"]);
  });
});
