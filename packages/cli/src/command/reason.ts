import { actionReasonSchema } from "@airlock/core/contract";
import { AirlockError } from "@airlock/core/fault";
import type { CommandCall } from "./command.ts";

/** What every action asks for that is audited. */
export const REASON_FLAGS = {
  reason: { value: "TEXT", doc: "why; it stands in the audit (required)" },
  as: { value: "NAME", doc: "who acts, in place of the user of the operating system" },
} as const;

export function reasonOf(call: CommandCall): string {
  const reason = actionReasonSchema.safeParse(call.text("reason") ?? "");
  if (reason.success) return reason.data;
  throw new AirlockError(
    "USAGE",
    `--reason: ${reason.error.issues.map(({ message }) => message).join("; ")}`,
  );
}
