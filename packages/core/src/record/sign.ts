import { createPrivateKey, createPublicKey, sign, verify, type KeyObject } from "node:crypto";
import { z } from "zod";
import { AirlockError, namesOf } from "../fault/index.ts";
import type { Keyring, Role } from "./keyring.ts";

/** What a record is for, and the only roles whose signature counts on it. */
export const PURPOSES = {
  command: ["client", "console"],
  turn: ["validator"],
  item: ["streamer"],
  response: ["streamer"],
  ask: ["validator"],
  approval: ["approver"],
  execution: ["validator"],
  resolution: ["validator"],
  preview: ["validator"],
  result: ["executor"],
  report: ["validator"],
} as const satisfies Record<string, readonly Role[]>;

export type Purpose = keyof typeof PURPOSES;

/** `body` is the exact JSON text that was signed; nobody reads it before the signature was checked. */
export const signedRecordSchema = z.strictObject({
  v: z.literal(1),
  purpose: z.enum(namesOf(PURPOSES)),
  keyId: z.string().min(1).max(64),
  body: z.string().max(16_384),
  signature: z.string().regex(/^[A-Za-z0-9_-]{86}$/),
});
export type SignedRecord = z.infer<typeof signedRecordSchema>;

/** Signs the exact text `body` for one purpose with the keyring's own key. */
export function signRecord(keyring: Keyring, purpose: Purpose, body: string): SignedRecord {
  if (!signersOf(purpose).includes(keyring.role)) {
    throw new AirlockError("KEYS_INVALID", `a ${keyring.role} can't sign a ${purpose} record`);
  }
  const { keyId, privateKey } = keyring.signing;
  const signature = sign(null, signedBytes(purpose, keyId, body), privateKeyOf(privateKey));
  return { v: 1, purpose, keyId, body, signature: signature.toString("base64url") };
}

/**
 * Returns the body of a record that the purpose's role signed for exactly this purpose.
 * Throws RECORD_INVALID for any other shape, purpose, key or signature.
 */
export function verifyRecord(keyring: Keyring, purpose: Purpose, input: unknown): string {
  const parsed = signedRecordSchema.safeParse(input);
  if (!parsed.success) throw new AirlockError("RECORD_INVALID", "it is not a signed record");
  return verifySigned(keyring, purpose, parsed.data);
}

/** The same of what has a record's form already. */
export function verifySigned(keyring: Keyring, purpose: Purpose, record: SignedRecord): string {
  if (record.purpose !== purpose) {
    throw new AirlockError(
      "RECORD_INVALID",
      `it is a ${record.purpose} record where a ${purpose} record belongs`,
    );
  }
  const signers = signersOf(purpose);
  const known = signers.flatMap((role) => keyring.trusted[role]);
  const key = known.find((trusted) => trusted.keyId === record.keyId);
  if (key === undefined) {
    throw new AirlockError("RECORD_INVALID", `no ${signers.join(" or ")} key is known under the id it names`);
  }
  const bytes = signedBytes(purpose, record.keyId, record.body);
  if (!verify(null, bytes, publicKeyOf(key.publicKey), Buffer.from(record.signature, "base64url"))) {
    throw new AirlockError("RECORD_INVALID", `its signature is not the ${signers.join("'s or the ")}'s`);
  }
  return record.body;
}

export function signersOf(purpose: Purpose): readonly Role[] {
  return PURPOSES[purpose];
}

/** A JSON array of strings is injective: no two different field lists give the same bytes. */
function signedBytes(purpose: Purpose, keyId: string, body: string): Buffer {
  return Buffer.from(JSON.stringify(["airlock.record.v1", purpose, keyId, body]), "utf8");
}

// Parsing a key costs more than a signature: each is parsed once per process.
const privateKeys = new Map<string, KeyObject>();
const publicKeys = new Map<string, KeyObject>();

function privateKeyOf(pem: string): KeyObject {
  return cached(privateKeys, pem, createPrivateKey);
}

function publicKeyOf(pem: string): KeyObject {
  return cached(publicKeys, pem, createPublicKey);
}

function cached(cache: Map<string, KeyObject>, pem: string, parse: (pem: string) => KeyObject): KeyObject {
  const known = cache.get(pem);
  if (known !== undefined) return known;
  const key = parse(pem);
  cache.set(pem, key);
  return key;
}
