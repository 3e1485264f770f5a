import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  createKeyrings,
  PURPOSES,
  ROLES,
  signRecord,
  verifyRecord,
  type Keyring,
  type Purpose,
  type Role,
  type SignedRecord,
} from "@airlock/core/record";

const keyrings = createKeyrings();
const BODY = '{"version":1,"run":"r00000000000000000000"}';
const purposes = Object.entries(PURPOSES) as [Purpose, readonly Role[]][];

function signed(purpose: Purpose, body = BODY): SignedRecord {
  return signRecord(keyrings[PURPOSES[purpose][0]], purpose, body);
}

/** A record as a role could make it that has no right to: its own key, but any purpose. */
function forged(role: Role, purpose: Purpose, claimedKeyId?: string): SignedRecord {
  const { signing } = keyrings[role];
  const keyId = claimedKeyId ?? signing.keyId;
  const impostor: Keyring = { ...keyrings[role], role: PURPOSES[purpose][0], signing: { ...signing, keyId } };
  return signRecord(impostor, purpose, BODY);
}

function otherFirstLetter(text: string): string {
  return `${text.startsWith("A") ? "B" : "A"}${text.slice(1)}`;
}

describe("a signed record", () => {
  test.each(purposes)("for %s is accepted by every role when the %s signed it", (purpose) => {
    for (const role of ROLES) expect(verifyRecord(keyrings[role], purpose, signed(purpose))).toBe(BODY);
  });

  test.each(purposes)("for %s can be signed by nobody but the %s", (purpose, owners) => {
    for (const role of ROLES.filter((other) => !owners.includes(other))) {
      expect(() => signRecord(keyrings[role], purpose, BODY)).toThrow(`a ${role} can't sign a ${purpose}`);
    }
  });

  test.each(purposes)("for %s is refused when any role but the %s made it", (purpose, owners) => {
    for (const role of ROLES.filter((other) => !owners.includes(other))) {
      expect(() => verifyRecord(keyrings.validator, purpose, forged(role, purpose))).toThrow(/no .* key/);
      const borrowed = forged(role, purpose, keyrings[owners[0] ?? "client"].signing.keyId);
      expect(() => verifyRecord(keyrings.validator, purpose, borrowed)).toThrow(/signature is not/);
    }
  });

  test("of one purpose is refused where another one of the same role belongs", () => {
    const item = signed("item");
    expect(() => verifyRecord(keyrings.validator, "response", item)).toThrow(/an? item record where/);
    const relabelled = { ...item, purpose: "response" };
    expect(() => verifyRecord(keyrings.validator, "response", relabelled)).toThrow(/signature is not/);
  });

  const record = signed("execution");
  test.each<[string, unknown]>([
    ["an edited body", { ...record, body: record.body.replace("1", "2") }],
    ["a body in another encoding of the same value", { ...record, body: `${record.body} ` }],
    ["an unknown key id", { ...record, keyId: "validator-000000000000" }],
    ["another role's key id", { ...record, keyId: keyrings.executor.signing.keyId }],
    ["an edited signature", { ...record, signature: otherFirstLetter(record.signature) }],
    ["a padded signature", { ...record, signature: `${record.signature}==` }],
    [
      "a signature in hex",
      { ...record, signature: Buffer.from(record.signature, "base64url").toString("hex") },
    ],
    ["no signature", { ...record, signature: "" }],
    ["another version", { ...record, v: 2 }],
    ["a further field", { ...record, note: "" }],
    ["a body that is an object", { ...record, body: JSON.parse(record.body) as unknown }],
    ["an unknown purpose", { ...record, purpose: "grant" }],
    ["a body over the limit", { ...record, body: " ".repeat(16_385) }],
    ["nothing", null],
    ["text", JSON.stringify(record)],
    ["a list", [record]],
  ])("with %s is refused", (_, input) => {
    expect(() => verifyRecord(keyrings.executor, "execution", input)).toThrow(
      expect.objectContaining({ code: "RECORD_INVALID", retry: "never" }),
    );
  });

  test("is refused by a cell that made other keys", () => {
    expect(() => verifyRecord(createKeyrings().executor, "execution", record)).toThrow(/no validator key/);
  });

  test("keeps the exact text, whatever it is, and no other text passes under its signature", () => {
    const body = fc.string({ unit: "grapheme", maxLength: 200 });
    fc.assert(
      fc.property(body, body, (one, other) => {
        const item = signed("item", one);
        expect(verifyRecord(keyrings.validator, "item", item)).toBe(one);
        fc.pre(one !== other);
        expect(() => verifyRecord(keyrings.validator, "item", { ...item, body: other })).toThrow(/signature/);
      }),
      { numRuns: 60 },
    );
  });

  test("has an injective encoding: letters can't wander from one field into the next", () => {
    const letters = fc.string({ unit: fc.constantFrom('"', ",", "[", "\\", "a", "-"), maxLength: 6 });
    fc.assert(
      fc.property(letters, letters, letters, letters, (keyId, body, otherKeyId, otherBody) => {
        fc.pre(keyId !== otherKeyId || body !== otherBody);
        fc.pre(keyId !== "" && otherKeyId !== "");
        const { signing, trusted } = keyrings.streamer;
        const own = trusted.streamer.map((key) => key.publicKey)[0] ?? "";
        const named = (id: string): Keyring => ({
          ...keyrings.streamer,
          signing: { ...signing, keyId: id },
          trusted: { ...trusted, streamer: [{ keyId: id, publicKey: own }] },
        });
        const record = signRecord(named(keyId), "item", body);
        const moved = { ...record, keyId: otherKeyId, body: otherBody };
        expect(() => verifyRecord(named(otherKeyId), "item", moved)).toThrow(/signature/);
      }),
      { numRuns: 100 },
    );
  });
});
