// A folder in, the keyrings of all roles out, and back: in `airlock up`'s data as <role>.json, for services apart as
// <role>/<role>.json, so that each can be handed to one service alone. Refuses a set that is not whole.
import {
  chownSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  closeSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import path from "node:path";
import { AirlockError } from "@airlock/core/fault";
import { createKeyrings, ROLES, type Keyring, type KeySet, type Role } from "@airlock/core/record";
import { loadKeyring } from "@airlock/core/runtime";

export type KeyFile = (role: Role) => string;

/** Of services that run apart. */
export function keyFilesApart(folder: string): KeyFile {
  return (role) => path.join(folder, role, `${role}.json`);
}

/** Of `airlock up`. */
export function keyFilesTogether(folder: string): KeyFile {
  return (role) => path.join(folder, `${role}.json`);
}

/** As the folder has them already. */
export function keyFilesIn(folder: string): KeyFile {
  const together = keyFilesTogether(folder);
  return ROLES.some((role) => existsSync(together(role))) ? together : keyFilesApart(folder);
}

/** Makes a set where there is none, checks the one that there is. True where it was made. */
export function ensureKeySet(file: KeyFile): boolean {
  const missing = ROLES.filter((role) => !existsSync(file(role)));
  if (missing.length === ROLES.length) {
    writeKeySet(file, createKeyrings());
    return true;
  }
  readKeySet(file);
  return false;
}

/** Throws KEYS_INVALID naming what is missing, what others may read, and what has no keyring's form. */
export function readKeySet(file: KeyFile): KeySet {
  const missing = ROLES.filter((role) => !existsSync(file(role)));
  if (missing.length > 0) {
    // New keys for some would not fit the others, and new ones for all would orphan what is sealed.
    throw new AirlockError("KEYS_INVALID", `missing: ${missing.map(file).join(", ")}; put them back`);
  }
  return keyringsOf((role) => loadKeyring(file(role), role));
}

/** Each file whole or as it was: a set of which only some files were written still works, and is completed by the same step. */
export function writeKeySet(file: KeyFile, set: KeySet): void {
  for (const role of ROLES) writeWhole(file(role), `${JSON.stringify(set[role], null, 2)}\n`);
}

function writeWhole(file: string, text: string): void {
  const draft = `${file}.new`;
  try {
    mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
    rmSync(draft, { force: true });
    const handle = openSync(draft, "wx", 0o600);
    writeSync(handle, text);
    fsyncSync(handle);
    closeSync(handle);
    const before = statSync(file, { throwIfNoEntry: false });
    if (before !== undefined && process.getuid?.() === 0) chownSync(draft, before.uid, before.gid);
    renameSync(draft, file);
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? String(cause.code) : "unknown error";
    throw new AirlockError("KEYS_INVALID", `${file} can't be written (${code})`, { cause });
  }
}

function keyringsOf(read: (role: Role) => Keyring): KeySet {
  return {
    client: read("client"),
    streamer: read("streamer"),
    validator: read("validator"),
    executor: read("executor"),
    console: read("console"),
    approver: read("approver"),
  };
}
