// Takes the fragments of calls, gives the call that each belongs to; refuses, with null, a fragment of which
// that can't be said. Identity is the id and the index that were sent, never the place in a chunk.
import type { ArgumentsKind } from "../events.ts";
import type { CallFragment } from "./call-fragment.ts";
import { createExtras, type Extras } from "./extras.ts";

export interface CallSlot {
  readonly slot: string;
  readonly ordinal: number;
  readonly argumentsKind: ArgumentsKind | null;
  readonly type: string;
  readonly member: CallFragment["member"];
  id: string | null;
  index: string | null;
  name: string | null;
  readonly fragments: string[];
  /** Arguments came as one value: nothing may follow. */
  isWhole: boolean;
  /** Arguments opened with `{}`, which counts only if nothing follows. */
  hasOpener: boolean;
  readonly callExtras: Extras;
  readonly bodyExtras: Extras;
}

export interface CallSlots {
  find(fragment: CallFragment): CallSlot | null;
  readonly all: readonly CallSlot[];
}

interface Registry {
  readonly all: CallSlot[];
  readonly byId: Map<string, CallSlot>;
  /** The call that a fragment with this index alone belongs to. */
  readonly byIndex: Map<string, CallSlot>;
  withoutIndex: number;
}

export function createCallSlots(): CallSlots {
  const registry: Registry = { all: [], byId: new Map(), byIndex: new Map(), withoutIndex: 0 };
  return {
    find(fragment) {
      if (fragment.id !== null) return findById(registry, fragment, fragment.id);
      if (fragment.index !== null) return findByIndex(registry, fragment, fragment.index);
      const [first, second] = registry.all;
      return first !== undefined && second === undefined ? first : null;
    },
    all: registry.all,
  };
}

function findById(registry: Registry, fragment: CallFragment, id: string): CallSlot | null {
  const known = registry.byId.get(id);
  if (known !== undefined) return continueById(registry, known, fragment.index);
  const holder = fragment.index === null ? undefined : registry.byIndex.get(fragment.index);
  if (holder === undefined) return open(registry, fragment);
  if (holder.id === null) {
    holder.id = id;
    return register(registry, holder);
  }
  // Some gateways give all calls one index: another id is another call, if it says its own name.
  return fragment.name === null ? null : open(registry, fragment);
}

function continueById(registry: Registry, slot: CallSlot, index: string | null): CallSlot | null {
  if (index === null) return slot;
  const holder = registry.byIndex.get(index);
  if (slot.index === null && holder === undefined) {
    slot.index = index;
    registry.withoutIndex -= 1;
    return register(registry, slot);
  }
  // A call that another one has replaced at its index can't be taken up again.
  return holder === slot ? slot : null;
}

function findByIndex(registry: Registry, fragment: CallFragment, index: string): CallSlot | null {
  const known = registry.byIndex.get(index);
  if (known !== undefined) return known;
  // Beside a call without an index it might as well be a piece of that one.
  return registry.withoutIndex > 0 ? null : open(registry, fragment);
}

function open(registry: Registry, fragment: CallFragment): CallSlot {
  const slot = newSlot(fragment, registry.all.length);
  registry.all.push(slot);
  if (slot.index === null) registry.withoutIndex += 1;
  return register(registry, slot);
}

function register(registry: Registry, slot: CallSlot): CallSlot {
  if (slot.id !== null) registry.byId.set(slot.id, slot);
  if (slot.index !== null) registry.byIndex.set(slot.index, slot);
  return slot;
}

function newSlot(fragment: CallFragment, ordinal: number): CallSlot {
  const { id, index, argumentsKind, type, member } = fragment;
  return {
    slot: `call ${ordinal}`,
    ordinal,
    argumentsKind,
    type,
    member,
    id,
    index,
    name: null,
    fragments: [],
    isWhole: false,
    hasOpener: false,
    callExtras: createExtras(),
    bodyExtras: createExtras(),
  };
}
