// A whole set of keyrings in, the same set one step further out: a key that is known to all before anybody uses it, then
// used, then revoked. Refuses to take away what is in use.
import { createPublicKey } from "node:crypto";
import { AirlockError, namesOf } from "../fault/index.ts";
import {
  holdersOf,
  newSealKey,
  newSigningKey,
  ROLES,
  SEALS,
  type Keyring,
  type Role,
  type SealName,
} from "./keyring.ts";

export type KeySet = Readonly<Record<Role, Keyring>>;

/** What is rotated: the signing key of a role, or a sealing key. */
export type KeyName = Role | SealName;
export const KEY_NAMES: readonly KeyName[] = [...ROLES, ...namesOf(SEALS)];

export interface ListedKey {
  readonly name: KeyName;
  readonly kind: "signing" | "sealing";
  readonly keyId: string;
  /** `next`: known, not used yet; `old`: verifies and opens what there is, until it is revoked */
  readonly state: "next" | "current" | "old";
}

export function listKeys(set: KeySet): readonly ListedKey[] {
  return KEY_NAMES.flatMap((name) => {
    const { current, next, known } = standing(set, name);
    return known.map((keyId) => ({
      name,
      kind: isRole(name) ? ("signing" as const) : ("sealing" as const),
      keyId,
      state: current.has(keyId)
        ? ("current" as const)
        : next === keyId
          ? ("next" as const)
          : ("old" as const),
    }));
  });
}

export interface Rotated {
  readonly set: KeySet;
  /** `announced`: everybody has to know the keys first; `used`: those that everybody knew are the current ones now */
  readonly step: "announced" | "used";
  readonly names: readonly KeyName[];
}

/**
 * The next step of a rotation. Where keys wait, and the whole set knows them, they become the current ones, and nothing
 * else is done; else each name gets its next key. Told again after a set was written in part, it completes what was begun.
 */
export function rotateKeys(set: KeySet, names: readonly KeyName[]): Rotated {
  const waiting = names.filter((name) => standing(set, name).next !== undefined);
  return waiting.length > 0 && waiting.every((name) => isAnnounced(set, name))
    ? { set: waiting.reduce(useNext, set), step: "used", names: waiting }
    : { set: names.reduce(announce, set), step: "announced", names };
}

/** Takes a key from every keyring. Throws KEYS_INVALID for one that is in use, and for one that nobody knows. */
export function revokeKey(set: KeySet, keyId: string): KeySet {
  const key = listKeys(set).find((each) => each.keyId === keyId);
  if (key === undefined) throw new AirlockError("KEYS_INVALID", `no keyring knows a key ${keyId}`);
  if (key.state === "current") {
    throw new AirlockError("KEYS_INVALID", `${keyId} is in use: rotate ${key.name} first`);
  }
  return mapSet(set, (keyring) => without(keyring, key));
}

function without(keyring: Keyring, { name, keyId }: ListedKey): Keyring {
  if (isRole(name)) {
    const { next, ...signing } = keyring.signing;
    const kept = next === undefined || next.keyId === keyId ? {} : { next };
    const trusted = keyring.trusted[name].filter((each) => each.keyId !== keyId);
    return { ...keyring, signing: { ...signing, ...kept }, trusted: { ...keyring.trusted, [name]: trusted } };
  }
  const held = keyring.seals[name];
  if (held === undefined) return keyring;
  const { next, ...seal } = held;
  const kept = next === undefined || next === keyId ? {} : { next };
  const keys = held.keys.filter((each) => each.keyId !== keyId);
  return { ...keyring, seals: { ...keyring.seals, [name]: { ...seal, ...kept, keys } } };
}

function announce(set: KeySet, name: KeyName): KeySet {
  return isRole(name) ? announceSigning(set, name) : announceSealing(set, name);
}

function announceSigning(set: KeySet, role: Role): KeySet {
  const next = set[role].signing.next ?? newSigningKey(role);
  const publicKey = createPublicKey(next.privateKey).export({ type: "spki", format: "pem" }).toString();
  return mapSet(set, (keyring) => {
    const known = keyring.trusted[role];
    const trusted = known.some(({ keyId }) => keyId === next.keyId)
      ? known
      : [...known, { keyId: next.keyId, publicKey }];
    const signing = keyring.role === role ? { ...keyring.signing, next } : keyring.signing;
    return { ...keyring, signing, trusted: { ...keyring.trusted, [role]: trusted } };
  });
}

function announceSealing(set: KeySet, name: SealName): KeySet {
  const begun = sealsOf(set, name).flatMap(({ next, keys }) => keys.filter(({ keyId }) => keyId === next));
  const key = begun[0] ?? newSealKey(name);
  return mapSet(set, (keyring) => {
    if (!holdersOf(name).includes(keyring.role)) return keyring;
    // keyrings of an older build may lack a seal: nothing is sealed with it yet
    const held = keyring.seals[name] ?? { current: key.keyId, keys: [key] };
    if (held.current === key.keyId) return { ...keyring, seals: { ...keyring.seals, [name]: held } };
    const keys = held.keys.some(({ keyId }) => keyId === key.keyId) ? held.keys : [...held.keys, key];
    return { ...keyring, seals: { ...keyring.seals, [name]: { ...held, keys, next: key.keyId } } };
  });
}

function useNext(set: KeySet, name: KeyName): KeySet {
  const { next: waiting } = standing(set, name);
  return mapSet(set, (keyring) => {
    if (isRole(name)) {
      const { next } = keyring.signing;
      return keyring.role === name && next !== undefined ? { ...keyring, signing: next } : keyring;
    }
    const held = keyring.seals[name];
    if (held === undefined || waiting === undefined) return keyring;
    return { ...keyring, seals: { ...keyring.seals, [name]: { current: waiting, keys: held.keys } } };
  });
}

/** A name's keys over the whole set, which may have been written in part. */
function standing(
  set: KeySet,
  name: KeyName,
): {
  readonly current: ReadonlySet<string>;
  readonly next: string | undefined;
  readonly known: readonly string[];
} {
  if (isRole(name)) {
    const { keyId, next } = set[name].signing;
    const known = ROLES.flatMap((role) => set[role].trusted[name].map((each) => each.keyId));
    return { current: new Set([keyId]), next: next?.keyId, known: [...new Set(known)] };
  }
  const seals = sealsOf(set, name);
  return {
    current: new Set(seals.map(({ current }) => current)),
    next: seals.find(({ next }) => next !== undefined)?.next,
    known: [...new Set(seals.flatMap(({ keys }) => keys.map(({ keyId }) => keyId)))],
  };
}

/** Whether a next key waits that everybody who needs it knows. */
function isAnnounced(set: KeySet, name: KeyName): boolean {
  const { next } = standing(set, name);
  if (next === undefined) return false;
  if (!isRole(name)) return sealsOf(set, name).every(({ keys }) => keys.some(({ keyId }) => keyId === next));
  return ROLES.every((role) => set[role].trusted[name].some(({ keyId }) => keyId === next));
}

function sealsOf(set: KeySet, name: SealName) {
  return holdersOf(name).flatMap((role) => set[role].seals[name] ?? []);
}

function isRole(name: KeyName): name is Role {
  return ROLES.some((role) => role === name);
}

function mapSet(set: KeySet, change: (keyring: Keyring) => Keyring): KeySet {
  return {
    client: change(set.client),
    streamer: change(set.streamer),
    validator: change(set.validator),
    executor: change(set.executor),
    console: change(set.console),
    approver: change(set.approver),
  };
}
