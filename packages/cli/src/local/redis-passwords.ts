// The place of each login's password in, all of them out; those that exist are kept, the others are made, and no part of one is shown.
import { existsSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { randomBytes } from "node:crypto";
import path from "node:path";
import { REDIS_LOGINS, type RedisLogin } from "@airlock/core/acl";
import { AirlockError } from "@airlock/core/fault";
import { readText } from "@airlock/core/runtime";

/** 256 bits: nobody finds it from its hash in the ACL file. */
const PASSWORD_BYTES = 32;
/** shorter ones, which people bring, could be found */
const LEAST_LETTERS = 24;

type RedisPasswords = Readonly<Record<RedisLogin, string>>;

/** Throws KEYS_INVALID for a file that can't be written or read, that others may read, or whose password is weak. */
export function redisPasswords(place: (login: RedisLogin) => string): RedisPasswords {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- one entry for each login
  return Object.fromEntries(REDIS_LOGINS.map((login) => [login, passwordIn(place(login))])) as RedisPasswords;
}

function passwordIn(file: string): string {
  if (!existsSync(file)) writeNew(file, `${randomBytes(PASSWORD_BYTES).toString("base64url")}\n`);
  const password = readText(file, "KEYS_INVALID").trim();
  if ((statSync(file).mode & 0o077) !== 0) {
    throw new AirlockError("KEYS_INVALID", `${file} may be read by others; run: chmod 600 ${file}`);
  }
  if (password.length < LEAST_LETTERS || /\s/.test(password)) {
    throw new AirlockError(
      "KEYS_INVALID",
      `${file} needs one password of at least ${LEAST_LETTERS} letters; remove it to have one made`,
    );
  }
  return password;
}

function writeNew(file: string, text: string): void {
  try {
    mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(file, text, { mode: 0o600, flag: "wx" });
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new AirlockError("KEYS_INVALID", `${file} can't be made: ${reason}`, { cause });
  }
}
