import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { AirlockError } from "../fault/index.ts";
import type { Keyring, SealName } from "./keyring.ts";

/** Where a sealed body lies: it opens only there, so a copy under another key is refused. */
export interface SealPlace {
  readonly seal: SealName;
  /** The Redis key, and the field or the role of the body in it. */
  readonly place: string;
}

const VERSION = "s1";
const TAG_BYTES = 16;

/** AES-256-GCM; returns `s1.<key id>.<nonce>.<ciphertext and tag>`, the last two in base64url. */
export function sealBody(keyring: Keyring, where: SealPlace, text: string): string {
  const { keyId, key } = sealKey(keyring, where.seal, null);
  const nonce = randomBytes(12);
  const cipher = createCipheriv("aes-256-gcm", key, nonce);
  cipher.setAAD(associatedData(where, keyId));
  const body = Buffer.concat([cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()]);
  return `${VERSION}.${keyId}.${nonce.toString("base64url")}.${body.toString("base64url")}`;
}

/** Throws SEAL_INVALID where the text was edited, moved, or sealed with a key that this process doesn't hold. */
export function openSealed(keyring: Keyring, where: SealPlace, sealed: string): string {
  const [version, keyId, nonce, body, ...rest] = sealed.split(".");
  if (
    version !== VERSION ||
    keyId === undefined ||
    nonce === undefined ||
    body === undefined ||
    rest.length > 0
  ) {
    throw new AirlockError("SEAL_INVALID", `${where.place} does not hold a sealed body`);
  }
  const { key } = sealKey(keyring, where.seal, keyId);
  const bytes = Buffer.from(body, "base64url");
  const cut = bytes.length - TAG_BYTES;
  try {
    // without the length, Node takes a tag of four bytes as well, which can be guessed
    const options = { authTagLength: TAG_BYTES };
    const decipher = createDecipheriv("aes-256-gcm", key, Buffer.from(nonce, "base64url"), options);
    decipher.setAAD(associatedData(where, keyId));
    decipher.setAuthTag(bytes.subarray(cut));
    return decipher.update(bytes.subarray(0, cut), undefined, "utf8") + decipher.final("utf8");
  } catch (cause) {
    throw new AirlockError("SEAL_INVALID", `${where.place} was edited or moved`, { cause });
  }
}

function sealKey(keyring: Keyring, name: SealName, keyId: string | null): { keyId: string; key: Buffer } {
  const held = keyring.seals[name];
  if (held === undefined) {
    throw new AirlockError("SEAL_INVALID", `the ${keyring.role} holds no ${name} key`);
  }
  const wanted = keyId ?? held.current;
  const found = held.keys.find((candidate) => candidate.keyId === wanted);
  if (found === undefined) {
    throw new AirlockError("SEAL_INVALID", `the ${keyring.role} holds no ${name} key with the id it names`);
  }
  return { keyId: found.keyId, key: Buffer.from(found.key, "base64") };
}

function associatedData({ seal, place }: SealPlace, keyId: string): Buffer {
  return Buffer.from(JSON.stringify(["airlock.seal.v1", seal, keyId, place]), "utf8");
}
