import type { ListedKey, Rotated } from "@airlock/core/record";
import { table } from "./table.ts";

/** What each state means for whoever looks after the keys. */
const STATES: Readonly<Record<ListedKey["state"], string>> = {
  next: "known to all, not used yet",
  current: "in use",
  old: "for what there is already; revoke it when nothing of that is needed",
};

export function keyListText(keys: readonly ListedKey[]): string {
  const rows = keys.map(({ name, kind, keyId, state }) => [name, kind, keyId, state, STATES[state]]);
  return table(["OF", "KIND", "KEY", "STATE", "MEANS"], rows);
}

/** What is to be done after a step, in whole sentences. */
const NEXT_STEP: Readonly<Record<Rotated["step"], string>> = {
  announced:
    "Nothing uses them yet. Give every service its file and restart them all, one after the other; then run this command again.",
  used: "Give every service its file and restart them, one after the other. The old keys still verify and open what there is; `airlock keys revoke` takes one away.",
};

export function rotatedText({ step, names }: Rotated): string {
  const done = step === "announced" ? "next keys are known to all" : "next keys are the current ones now";
  return `${names.join(", ")}: ${done}.\n${NEXT_STEP[step]}`;
}
