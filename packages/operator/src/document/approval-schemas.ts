import { z } from "zod";
import { RISKS } from "@airlock/core/policy";

const time = z.iso.datetime();
const digest = z.string();

/** One call that waits for people, without anything of what it would do. */
export const approvalEntrySchema = z.strictObject({
  itemKey: z.string(),
  run: z.string(),
  tool: z.string(),
  effect: z.enum(["read", "idempotent", "mutating"]),
  risk: z.enum(RISKS),
  quorum: z.int().min(1),
  /** who has approved so far */
  approvals: z.array(z.string()).readonly(),
  requestedBy: z.string(),
  askedAt: time,
  expiresAt: time,
  /** why policy asks, in the words of its author */
  reason: z.string().nullable(),
  rule: z.string().nullable(),
  labels: z.record(z.string(), z.string()).readonly(),
});
export type ApprovalEntry = Readonly<z.infer<typeof approvalEntrySchema>>;

export const approvalPageSchema = z.strictObject({
  approvals: z.array(approvalEntrySchema).readonly(),
  /** null at the end. A page may be short and have one: then few of those that were looked at still waited. */
  next: z.string().nullable(),
});
export type ApprovalPage = Readonly<z.infer<typeof approvalPageSchema>>;

const shownSchema = z.discriminatedUnion("kind", [
  z.strictObject({
    kind: z.literal("argv"),
    argv: z.array(z.string()).readonly(),
    cwd: z.string().nullable(),
  }),
  z.strictObject({
    kind: z.literal("diff"),
    /** a unified diff: against the run's tree where an executor has looked, else as the arguments alone have it */
    diff: z.string(),
    /** null as long as no executor has looked */
    tree: z
      .strictObject({
        seenAt: time,
        /** whether anything may have changed the tree since */
        changed: z.boolean(),
        /** why the call would be refused as things stood */
        refused: z.string().nullable(),
      })
      .nullable(),
  }),
  z.strictObject({ kind: z.literal("json") }),
]);

/** What an approver has to see: only for those who may approve. */
export const approvalDocumentSchema = approvalEntrySchema.extend({
  evidence: z.strictObject({
    /** as they would run */
    arguments: z.record(z.string(), z.unknown()),
    shown: shownSchema,
    /** of a tool that the model's provider hosts: approved, the provider runs it, not Airlock, whose sandbox and limits hold nothing there */
    hosted: z
      .strictObject({ server: z.string(), name: z.string(), runs: z.literal("provider") })
      .exactOptional(),
    claims: z
      .strictObject({
        reads: z.array(z.string()).readonly(),
        writes: z.array(z.string()).readonly(),
        workspace: z.enum(["none", "read", "write"]),
      })
      .nullable(),
    siblings: z
      .array(z.strictObject({ itemKey: z.string(), tool: z.string(), state: z.string() }))
      .readonly(),
    /** whether anything may have changed the run's tree since it was asked; null where nobody can say */
    treeChanged: z.boolean().nullable(),
    nonce: z.string(),
    argumentsDigest: digest,
    policyDigest: digest,
  }),
});
export type ApprovalDocument = Readonly<z.infer<typeof approvalDocumentSchema>>;
