// A folder in, Redis' ACL file out, with a password for every user in a subfolder of its own, so that each can be handed to
// one service alone; passwords that exist are kept, and none is ever shown.
import { writeFileSync } from "node:fs";
import path from "node:path";
import { aclFile } from "@airlock/core/acl";
import { AirlockError } from "@airlock/core/fault";
import { redisPasswords } from "../local/index.ts";
import type { Command } from "./command.ts";

export const aclCommand: Command = {
  summary:
    "prints the Redis ACL file, with a user for each service, and makes their passwords: DIR/<user>/redis-password",
  details:
    "Passwords that exist are kept, so a newer build's file fits them. The file holds hashes of them only.\n" +
    "Point `aclfile` at it; docs/redis-users.md says what each user may do. `airlock up` does all of this by itself.",
  positional: { name: "DIR", required: true },
  flags: {
    file: { value: "FILE", doc: "write it to this file in place of the output" },
    "redis-7.0": { value: null, doc: "for a Redis before 7.2, which knows no WAITAOF" },
  },
  async run(call, context) {
    const folder = path.resolve(context.folder, call.positional ?? "");
    const passwords = redisPasswords((login) => path.join(folder, login, "redis-password"));
    const text = aclFile(passwords, { redis72: !call.on("redis-7.0") });
    const file = call.text("file");
    if (file === undefined) {
      context.out.print(text.trimEnd());
      return 0;
    }
    const place = path.resolve(context.folder, file);
    writeAcl(place, text);
    context.out.print(`wrote ${place}; the passwords are in ${folder}`);
    return 0;
  },
};

/** Redis runs as another user: it may be read by all, as nothing in it lets anybody in. */
function writeAcl(file: string, text: string): void {
  try {
    writeFileSync(file, text, { mode: 0o644 });
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new AirlockError("USAGE", `${file} can't be written: ${reason}`, { cause });
  }
}
