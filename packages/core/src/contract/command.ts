import { z } from "zod";
import { killTargetSchema } from "./kill-target.ts";
import { parseItemKey } from "../record/index.ts";
import { bodyHead, count, digest } from "./version.ts";

const asked = { ...bodyHead, requestedBy: z.string().min(1).max(128) };

/** Names a command, so that its answer can be found. */
export const commandIdSchema = z.string().regex(/^[a-z0-9]{20}$/);

/** What a person can find out about a call whose end nobody saw. */
export const FINDINGS = ["executed", "not_executed"] as const;

/** Why somebody acts on a refusal: a few words, on one line, never none. */
export const actionReasonSchema = z
  .string()
  .max(500)
  .refine((text) => text.trim() !== "", "must not be empty")
  // oxlint-disable-next-line no-control-regex -- they are what is refused
  .refine((text) => !/[\u0000-\u001f\u007f-\u009f]/.test(text), "must be one line of plain text");

/**
 * An action on a run whose end a person has to look at. `id` names the command, so that its answer can be found;
 * `round` is how often the run had been requeued when the person looked: an action on an older end is refused.
 */
const acted = {
  ...asked,
  id: commandIdSchema,
  target: z.string().max(64),
  round: count,
  reason: actionReasonSchema,
};

/** An order to stop what is named, or to let it go on: the one command that is not about one run. */
const stopped = {
  version: bodyHead.version,
  requestedBy: asked.requestedBy,
  id: acted.id,
  target: killTargetSchema,
  reason: actionReasonSchema,
};

/** What people ask of a run. `specDigest` is SHA-256 of the sealed spec that lies in the run's `:spec`. */
export const commandBodySchema = z.discriminatedUnion("kind", [
  z.strictObject({ ...asked, kind: z.literal("submit"), specDigest: digest }),
  z.strictObject({ ...asked, kind: z.literal("cancel"), reason: z.string().max(200) }),
  z.strictObject({
    ...acted,
    kind: z.literal("requeue"),
    /** limits of the run that are raised, by their names in a spec */
    raise: z.record(z.string().max(32), z.int().min(1)).default({}),
  }),
  z.strictObject({ ...acted, kind: z.literal("abandon") }),
  z.strictObject({ ...stopped, kind: z.literal("kill") }),
  z.strictObject({ ...stopped, kind: z.literal("unkill") }),
  /** of a call whose outcome nobody knows: what a person found out */
  z.strictObject({
    ...asked,
    kind: z.literal("resolve"),
    id: commandIdSchema,
    target: z.string().refine((text) => parseItemKey(text) !== null, "not an item key"),
    finding: z.enum(FINDINGS),
    reason: actionReasonSchema,
  }),
]);
export type CommandBody = z.infer<typeof commandBodySchema>;
export type ResolveBody = Extract<CommandBody, { readonly kind: "resolve" }>;
export type ActionBody = Extract<CommandBody, { readonly kind: "requeue" | "abandon" }>;
export type KillBody = Extract<CommandBody, { readonly kind: "kill" | "unkill" }>;
