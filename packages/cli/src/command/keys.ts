// A folder in, a matching keyring for every role in a subfolder of its own out, so that each can be handed to one service
// alone; keyrings that exist are checked and kept, and a part of a set is refused.
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { AirlockError } from "@airlock/core/fault";
import { createKeyrings, ROLES, type Role } from "@airlock/core/record";
import { loadKeyring } from "@airlock/core/runtime";
import type { Command } from "./command.ts";

export const keysCommand: Command = {
  summary: "makes the keys of services that run apart: DIR/<role>/<role>.json",
  details: "Keys that exist are kept. `airlock up` makes its own and doesn't need this.",
  positional: { name: "DIR", required: true },
  flags: {},
  async run(call, context) {
    const folder = path.resolve(context.folder, call.positional ?? "");
    const made = makeKeys(folder);
    context.out.print(made ? `keys made in ${folder}` : `${folder} has its keys already`);
    return 0;
  },
};

/** False where every keyring was there before. */
function makeKeys(folder: string): boolean {
  const missing = ROLES.filter((role) => !existsSync(keyringFile(folder, role)));
  if (missing.length === 0) {
    for (const role of ROLES) loadKeyring(keyringFile(folder, role), role);
    return false;
  }
  if (missing.length < ROLES.length) {
    // New keys for some would not fit the others, and new ones for all would orphan what is sealed.
    throw new AirlockError("KEYS_INVALID", `${folder} lacks the keyring of: ${missing.join(", ")}`);
  }
  const keyrings = createKeyrings();
  for (const role of ROLES) writeKeyring(folder, role, JSON.stringify(keyrings[role], null, 2));
  return true;
}

function writeKeyring(folder: string, role: Role, text: string): void {
  const file = keyringFile(folder, role);
  try {
    mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(file, `${text}\n`, { mode: 0o600, flag: "wx" });
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new AirlockError("KEYS_INVALID", `${file} can't be made: ${reason}`, { cause });
  }
}

function keyringFile(folder: string, role: Role): string {
  return path.join(folder, role, `${role}.json`);
}
