import {
  createKeyrings,
  KEY_NAMES,
  listKeys,
  openSealed,
  parseKeyring,
  PURPOSES,
  revokeKey,
  ROLES,
  rotateKeys,
  sealBody,
  SEALS,
  signersOf,
  signRecord,
  verifyRecord,
  type KeyName,
  type KeySet,
  type Role,
} from "@airlock/core/record";
import { namesOf } from "@airlock/core/fault";
import { describe, expect, test } from "vitest";

const FIRST = createKeyrings();
const ANNOUNCED = rotateKeys(FIRST, KEY_NAMES).set;
const USED = rotateKeys(ANNOUNCED, KEY_NAMES).set;

const PLACE = { place: "airlock:{r}:x" } as const;

/** Every record and every seal that `writers` make is read by `readers`. */
function expectReadable(writers: KeySet, readers: KeySet): void {
  for (const purpose of namesOf(PURPOSES)) {
    for (const signer of signersOf(purpose)) {
      const record = signRecord(writers[signer], purpose, "{}");
      for (const role of ROLES) expect(verifyRecord(readers[role], purpose, record)).toBe("{}");
    }
  }
  for (const seal of namesOf(SEALS)) {
    for (const from of SEALS[seal]) {
      const sealed = sealBody(writers[from], { ...PLACE, seal }, "text");
      for (const to of SEALS[seal]) expect(openSealed(readers[to], { ...PLACE, seal }, sealed)).toBe("text");
    }
  }
}

const parsed = (set: KeySet): void => {
  for (const role of ROLES)
    expect(parseKeyring(JSON.stringify(set[role]), { file: role, role })).toEqual(set[role]);
};

/** As a crash leaves it: the files of the first roles are new, the others old. */
function cutAfter(count: number, from: KeySet, to: KeySet): KeySet {
  const pick = (role: Role) => (ROLES.indexOf(role) < count ? to[role] : from[role]);
  return {
    client: pick("client"),
    streamer: pick("streamer"),
    validator: pick("validator"),
    executor: pick("executor"),
    console: pick("console"),
    approver: pick("approver"),
  };
}

/** What a role signed at the beginning. */
function expectNotVerified(readers: KeySet, signer: KeyName): void {
  for (const purpose of namesOf(PURPOSES)) {
    for (const from of signersOf(purpose).filter((role) => role === signer)) {
      const record = signRecord(FIRST[from], purpose, "{}");
      for (const to of ROLES) expect(() => verifyRecord(readers[to], purpose, record)).toThrow(/no .* key/);
    }
  }
}

/** What was sealed at the beginning. */
function expectNotOpened(readers: KeySet, name: KeyName): void {
  for (const seal of namesOf(SEALS).filter((each) => each === name)) {
    const sealed = sealBody(FIRST[SEALS[seal][0]], { ...PLACE, seal }, "text");
    for (const to of SEALS[seal])
      expect(() => openSealed(readers[to], { ...PLACE, seal }, sealed)).toThrow(/no .* key with the id/);
  }
}

const CUTS = Array.from({ length: ROLES.length + 1 }, (_, count) => count);

describe("a rotation", () => {
  test("makes every key known before it is used, and leaves each set in a keyring's form", () => {
    expect(rotateKeys(FIRST, KEY_NAMES)).toMatchObject({ step: "announced", names: KEY_NAMES });
    expect(rotateKeys(ANNOUNCED, KEY_NAMES)).toMatchObject({ step: "used", names: KEY_NAMES });
    for (const set of [FIRST, ANNOUNCED, USED]) parsed(set);
    const states = (set: KeySet) => new Set(listKeys(set).map(({ state }) => state));
    expect([states(FIRST), states(ANNOUNCED), states(USED)]).toEqual([
      new Set(["current"]),
      new Set(["current", "next"]),
      new Set(["old", "current"]),
    ]);
  });

  test("of some names leaves the others alone", () => {
    const { set } = rotateKeys(FIRST, ["executor", "run"]);
    const next = listKeys(set).filter(({ state }) => state === "next");
    expect(next.map(({ name }) => name)).toEqual(["executor", "run"]);
    expect(set.executor.signing.next).toBeDefined();
    expect(
      JSON.stringify(ROLES.filter((role) => role !== "executor").map((role) => set[role])),
    ).not.toContain(set.executor.signing.next?.privateKey.split("\n")[1]);
  });

  // services are restarted one after the other, so both neighbours of a step are at work side by side, in any order
  test.each(CUTS)("loses nothing between services of two steps, %i of them restarted", (count) => {
    for (const [from, to] of [
      [FIRST, ANNOUNCED],
      [ANNOUNCED, USED],
    ] as const) {
      const mixed = cutAfter(count, from, to);
      expectReadable(mixed, mixed);
      expectReadable(from, to);
    }
  });

  test.each(CUTS)("is completed by the same step where only %i files were written", (count) => {
    const cut = cutAfter(count, FIRST, ANNOUNCED);
    const again = count === ROLES.length ? cut : rotateKeys(cut, KEY_NAMES);
    const announced = "set" in again ? again.set : again;
    if ("step" in again) expect(again.step).toBe("announced");
    const used = rotateKeys(announced, KEY_NAMES).set;
    const half = cutAfter(count, announced, used);
    const whole = count === ROLES.length ? half : rotateKeys(half, KEY_NAMES).set;
    expectReadable(FIRST, whole);
    expectReadable(whole, whole);
    expect(listKeys(whole).filter(({ state }) => state === "current")).toHaveLength(KEY_NAMES.length);
  });

  test("gives keyrings of an older build the seal that they lack", () => {
    const bare = (role: Role) => ({ ...FIRST[role], seals: { ...FIRST[role].seals, raw: undefined } });
    const { set } = rotateKeys({ ...FIRST, client: bare("client"), streamer: bare("streamer") }, ["raw"]);
    const sealed = sealBody(set.streamer, { ...PLACE, seal: "raw" }, "text");
    expect(openSealed(set.client, { ...PLACE, seal: "raw" }, sealed)).toBe("text");
  });
});

describe("a revoked key", () => {
  const of = (set: KeySet, state: string) => listKeys(set).filter((key) => key.state === state);

  test.each(of(USED, "old"))("of $name counts no more, and its successor does", ({ name, kind, keyId }) => {
    const left = revokeKey(USED, keyId);
    parsed(left);
    expect(JSON.stringify(left)).not.toContain(keyId);
    expectReadable(left, left);
    if (kind === "signing") expectNotVerified(left, name);
    else expectNotOpened(left, name);
  });

  test.each(of(ANNOUNCED, "next"))("that was only announced for $name is forgotten", ({ keyId, name }) => {
    const left = revokeKey(ANNOUNCED, keyId);
    parsed(left);
    expect(JSON.stringify(left)).not.toContain(keyId);
    expect(rotateKeys(left, [name]).step).toBe("announced");
  });

  test.each(of(FIRST, "current"))("is not the one in use: $name", ({ keyId }) => {
    expect(() => revokeKey(FIRST, keyId)).toThrow(/is in use: rotate/);
  });

  test("has to be known", () => {
    expect(() => revokeKey(FIRST, "client-000000000000")).toThrow(
      "no keyring knows a key client-000000000000",
    );
  });
});
