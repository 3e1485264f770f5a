import { generateKeyPairSync, randomBytes } from "node:crypto";
import { z } from "zod";
import { AirlockError, namesOf } from "../fault/index.ts";

/**
 * Who signs. The client is the CLI on the machine that holds its keys, the console the one that others reach over HTTP:
 * both may only command. The approver's key signs what people answer; the console holds it, and people may have their own.
 */
export const ROLES = ["client", "streamer", "validator", "executor", "console", "approver"] as const;
export type Role = (typeof ROLES)[number];

/** The sealing keys and the roles that hold each. */
export const SEALS = {
  conversation: ["streamer", "validator"],
  calls: ["client", "streamer", "validator", "executor", "console"],
  run: ["client", "validator", "console"],
  raw: ["client", "streamer"],
} as const satisfies Record<string, readonly Role[]>;
export type SealName = keyof typeof SEALS;

const pem = z.string().startsWith("-----BEGIN ");
const keyId = z.string().regex(/^[a-z0-9-]{1,64}$/);
const trustedKey = z.strictObject({
  keyId,
  publicKey: pem,
  /** of a person's own key: the only name that it may answer in; a key without one answers for all whom it knows */
  name: z.string().min(1).max(128).exactOptional(),
});
export type TrustedKey = z.infer<typeof trustedKey>;
const trustedKeys = z.array(trustedKey);
const signingKey = z.strictObject({ keyId, privateKey: pem });
const sealKeys = z.strictObject({
  /** what is sealed from now on; the others open what there is */
  current: keyId,
  /** of a rotation that has begun: the one of the keys that comes after the current one */
  next: keyId.exactOptional(),
  keys: z.array(z.strictObject({ keyId, key: z.string().regex(/^[A-Za-z0-9+/]{43}=$/) })).min(1),
});

const keyringSchema = z.strictObject({
  v: z.literal(1),
  role: z.enum(ROLES),
  /** `next` signs nothing yet: everybody has to know it first */
  signing: signingKey.extend({ next: signingKey.exactOptional() }),
  trusted: z.strictObject({
    client: trustedKeys,
    streamer: trustedKeys,
    validator: trustedKeys,
    executor: trustedKeys,
    console: trustedKeys,
    approver: trustedKeys,
  }),
  seals: z.strictObject({
    conversation: sealKeys.optional(),
    calls: sealKeys.optional(),
    run: sealKeys.optional(),
    raw: sealKeys.optional(),
  }),
});

/** All keys that one process holds: its signing key, the public keys it trusts, the sealing keys of its role. */
export type Keyring = z.infer<typeof keyringSchema>;

/** Reads the text of a keyring file. Throws KEYS_INVALID naming the file, never its content. */
export function parseKeyring(text: string, place: { readonly file: string; readonly role: Role }): Keyring {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw new AirlockError("KEYS_INVALID", `${place.file} is not JSON`);
  }
  const parsed = keyringSchema.safeParse(json);
  if (!parsed.success) {
    const where = parsed.error.issues.map((issue) => issue.path.join(".") || "(top)").join(", ");
    throw new AirlockError("KEYS_INVALID", `${place.file} does not have a keyring's form at: ${where}`);
  }
  if (parsed.data.role !== place.role) {
    throw new AirlockError(
      "KEYS_INVALID",
      `${place.file} is the ${parsed.data.role}'s, not the ${place.role}'s`,
    );
  }
  return parsed.data;
}

/** Makes a matching set of keyrings, one for each role, each with no more than its role needs. */
export function createKeyrings(): Readonly<Record<Role, Keyring>> {
  const pairs = perRole(newPair);
  const seals = {
    conversation: newSealKeys("conversation"),
    calls: newSealKeys("calls"),
    run: newSealKeys("run"),
    raw: newSealKeys("raw"),
  };
  const trusted = perRole((role) => [{ keyId: pairs[role].keyId, publicKey: pairs[role].publicKey }]);
  return perRole((role) => ({
    v: 1,
    role,
    signing: { keyId: pairs[role].keyId, privateKey: pairs[role].privateKey },
    trusted,
    seals: Object.fromEntries(
      namesOf(seals).flatMap((name) => (holdersOf(name).includes(role) ? [[name, seals[name]]] : [])),
    ),
  }));
}

/**
 * Makes a key with which one person answers for themselves: their keyring, which stays with them, and what others need to
 * know of it. `trusted`: whose records the person's own tools will verify.
 */
export function createApproverKey(
  name: string,
  trusted: Keyring["trusted"],
): { readonly keyring: Keyring; readonly approver: TrustedKey } {
  const { keyId, privateKey, publicKey } = newPair("approver");
  const approver = { name, keyId, publicKey };
  return {
    approver,
    keyring: {
      v: 1,
      role: "approver",
      signing: { keyId, privateKey },
      trusted: { ...trusted, approver: [...trusted.approver, approver] },
      seals: {},
    },
  };
}

/** The secret half, as it stands in its owner's keyring. */
export function newSigningKey(role: Role): z.infer<typeof signingKey> {
  const { keyId: id, privateKey } = newPair(role);
  return { keyId: id, privateKey };
}

function newPair(role: Role): {
  readonly keyId: string;
  readonly privateKey: string;
  readonly publicKey: string;
} {
  const pair = generateKeyPairSync("ed25519", {
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
    publicKeyEncoding: { type: "spki", format: "pem" },
  });
  return { keyId: newKeyId(role), ...pair };
}

function perRole<T>(make: (role: Role) => T): Record<Role, T> {
  return {
    client: make("client"),
    streamer: make("streamer"),
    validator: make("validator"),
    executor: make("executor"),
    console: make("console"),
    approver: make("approver"),
  };
}

export function holdersOf(name: SealName): readonly Role[] {
  return SEALS[name];
}

function newKeyId(name: string): string {
  return `${name}-${randomBytes(6).toString("hex")}`;
}

export function newSealKey(name: SealName): z.infer<typeof sealKeys>["keys"][number] {
  return { keyId: newKeyId(name), key: randomBytes(32).toString("base64") };
}

function newSealKeys(name: SealName): z.infer<typeof sealKeys> {
  const key = newSealKey(name);
  return { current: key.keyId, keys: [key] };
}
