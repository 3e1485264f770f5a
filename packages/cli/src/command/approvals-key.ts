import { chmodSync, writeFileSync } from "node:fs";
import path from "node:path";
import { AirlockError } from "@airlock/core/fault";
import { approverSchema } from "@airlock/core/contract";
import { createApproverKey } from "@airlock/core/record";
import { stringify } from "yaml";
import type { Command } from "./command.ts";

export const approvalsKeyCommand: Command = {
  summary: "makes a key with which one person answers for themselves",
  details:
    "The key goes to a file that only its owner reads; what is printed goes into the file that AIRLOCK_APPROVERS names.",
  positional: { name: "NAME", required: true },
  flags: { out: { value: "FILE", doc: "where the key goes (NAME.key.json)" } },
  run(call, { folder, out, errors }) {
    const name = approverSchema.safeParse(call.positional ?? "");
    if (!name.success) throw new AirlockError("USAGE", "NAME: 1 to 128 characters");
    const file = path.resolve(
      folder,
      call.text("out") ?? `${name.data.replaceAll(/[^\w.-]/g, "_")}.key.json`,
    );
    const { keyring, approver } = createApproverKey(name.data, NOBODY);
    write(file, JSON.stringify(keyring, null, 2));
    errors.print(
      `key of ${name.data} written to ${file}; keep it, and put this into the file of AIRLOCK_APPROVERS:`,
    );
    out.print(stringify({ approvers: [approver] }).trimEnd());
    return Promise.resolve(0);
  },
};

/** The key only signs: what it answers comes from the installation, which verifies it. */
const NOBODY = { client: [], streamer: [], validator: [], executor: [], console: [], approver: [] };

function write(file: string, text: string): void {
  try {
    writeFileSync(file, `${text}\n`, { mode: 0o600, flag: "wx" });
    chmodSync(file, 0o600);
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? String(cause.code) : "unknown error";
    throw new AirlockError("KEYS_INVALID", `${file} can't be made (${code})`, { cause });
  }
}
