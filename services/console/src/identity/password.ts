import { randomBytes, scrypt, timingSafeEqual, type ScryptOptions } from "node:crypto";

/** About 60 ms and 32 MiB for each guess. */
const COST = { N: 2 ** 15, r: 8, p: 1 } as const;
const HASH_BYTES = 32;
const SALT_BYTES = 16;
const MOST_MEMORY = 256 * 1024 * 1024;

const FORM = /^scrypt\$(\d{1,7})\$(\d{1,2})\$(\d{1,2})\$([\w-]{22,86})\$([\w-]{43})$/;

/** `scrypt$N$r$p$salt$hash`, the last two in base64url. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const hash = await derive(password, salt, COST);
  return ["scrypt", COST.N, COST.r, COST.p, salt.toString("base64url"), hash.toString("base64url")].join("$");
}

/** Whether a text is a hash that `matchesPassword` can work with. */
export function isPasswordHash(text: string): boolean {
  const [, cost = "", block = "", parallel = ""] = FORM.exec(text) ?? [];
  const [n, r, p] = [Number(cost), Number(block), Number(parallel)];
  const power = Number.isInteger(Math.log2(n));
  return power && n >= 2 ** 14 && r >= 8 && p >= 1 && 128 * n * r * p <= MOST_MEMORY;
}

/** In time that does not depend on how much of it is right. An unusable hash matches nothing. */
export async function matchesPassword(password: string, stored: string): Promise<boolean> {
  const [, n = "", r = "", p = "", salt = "", hash = ""] = FORM.exec(stored) ?? [];
  if (!isPasswordHash(stored)) return false;
  const cost = { N: Number(n), r: Number(r), p: Number(p) };
  const found = await derive(password, Buffer.from(salt, "base64url"), cost);
  return timingSafeEqual(found, Buffer.from(hash, "base64url"));
}

async function derive(password: string, salt: Buffer, cost: ScryptOptions): Promise<Buffer> {
  const options = { ...cost, maxmem: MOST_MEMORY * 2 };
  return new Promise((resolve, reject) => {
    scrypt(password.normalize("NFKC"), salt, HASH_BYTES, options, (error, key) =>
      error === null ? resolve(key) : reject(error),
    );
  });
}
