import type { ErrorClass } from "../../fault/index.ts";
import type { CallFragment, Carrier } from "./call-fragment.ts";
import type { CallSlot } from "./call-slots.ts";
import { BODY_FIELDS, CALL_FIELDS } from "./wire-types.ts";

export interface Entered {
  /** The argument text that was added. */
  readonly text: string;
  readonly fault: ErrorClass | null;
}

/** Adds a fragment to its call. A fault means that the pieces don't make one call. */
export function enterFragment(slot: CallSlot, fragment: CallFragment): Entered {
  slot.callExtras.add(fragment.raw, CALL_FIELDS);
  slot.bodyExtras.add(fragment.body, BODY_FIELDS);
  if (!isSameKind(slot, fragment)) return { text: "", fault: "IDENTITY_CONFLICT" };
  const nameFault = enterName(slot, fragment.name);
  const entered = enterArguments(slot, fragment.carrier);
  return { text: entered.text, fault: nameFault ?? entered.fault };
}

function isSameKind(slot: CallSlot, fragment: CallFragment): boolean {
  // A later piece may leave out its type; of an unknown type nothing is executable anyway.
  return slot.argumentsKind === null || slot.argumentsKind === fragment.argumentsKind;
}

/** A name is sent once, or again each time, or in pieces, and pieces end where the arguments begin. */
function enterName(slot: CallSlot, name: string | null): ErrorClass | null {
  if (name === null || name === slot.name) return null;
  if (slot.name !== null && hasArguments(slot)) return "IDENTITY_CONFLICT";
  slot.name = (slot.name ?? "") + name;
  return null;
}

function hasArguments(slot: CallSlot): boolean {
  return slot.fragments.length > 0 || slot.hasOpener;
}

function enterArguments(slot: CallSlot, carrier: Carrier): Entered {
  const { text } = carrier;
  if (text === "") return { text, fault: null };
  if (slot.isWhole) return { text: "", fault: "ARGUMENTS_MISMATCH" };
  if (carrier.form === "text") {
    slot.hasOpener = false;
    slot.fragments.push(text);
    return { text, fault: null };
  }
  // A value and any other piece can't be put together.
  if (hasArguments(slot)) return { text: "", fault: "ARGUMENTS_MISMATCH" };
  if (carrier.isEmpty) {
    slot.hasOpener = true;
    return { text: "", fault: null };
  }
  slot.isWhole = true;
  slot.fragments.push(text);
  return { text, fault: null };
}

/** The whole argument text; empty, and for the judge to decide, where nothing was sent. */
export function argumentText(slot: CallSlot): string {
  return slot.hasOpener ? "{}" : slot.fragments.join("");
}
