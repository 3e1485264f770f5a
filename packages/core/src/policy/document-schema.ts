import { z } from "zod";
import { durationSchema } from "./duration.ts";
import { globSchema, ruleSchema } from "./rule-schema.ts";

const scope = z.strictObject({
  allow: z.array(globSchema).optional(),
  forbid: z.array(globSchema).optional(),
});

const base = z.strictObject({
  path: z
    .string()
    .regex(/^(?!\/)[^\\]+\.yaml$/, "a base is a .yaml file, named from the folder of this one")
    .refine((path) => !path.split("/").includes(".."), "a base lies in the folder of this file or below it"),
  sha256: z.string().regex(/^[0-9a-f]{64}$/, "sha256 is 64 hex digits; `sha256sum FILE` prints them"),
});

const repository = z.strictObject({
  id: z
    .string()
    .regex(
      /^[A-Za-z0-9_-][A-Za-z0-9._-]*(\/[A-Za-z0-9_-][A-Za-z0-9._-]*)*$/,
      "a repository is named like acme/api",
    ),
  branches: scope.optional(),
  requireBaseRevision: z.boolean().default(false),
});

const count = z.int().min(0);

/** The loosest first: asking a person is all that can lead to the effect once more. */
export const ON_REPEAT = ["approve", "return_recorded", "deny"] as const;

/** The policy file. Every key that is not here is an error. */
export const policyDocumentSchema = z.strictObject({
  apiVersion: z.literal("airlock.policy/v1"),
  mode: z.enum(["enforce", "shadow"]),
  extends: z.array(base).min(1).max(8).optional(),
  defaults: z
    .strictObject({
      noMatch: z.literal("forbid").optional(),
      unparseable: z.enum(["quarantine", "forbid"]).optional(),
      onAskNonInteractive: z.enum(["park", "deny"]).optional(),
      approvalTtl: durationSchema.optional(),
      /** what becomes of a call whose effect an older one had, or may have had, without the model knowing */
      onRepeatEffect: z.enum(ON_REPEAT).optional(),
    })
    .prefault({}),
  limits: z
    .strictObject({
      /** UTF-8 bytes of the arguments' canonical form. */
      argsBytes: z.int().min(1).max(1_048_576).optional(),
      jsonDepth: z.int().min(1).max(64).optional(),
      /** simple commands in one call */
      commands: z.int().min(1).max(100).optional(),
      /** programs around a command that run what their arguments say */
      wrapperDepth: z.int().min(0).max(16).optional(),
      perRun: z
        .strictObject({
          turns: z.int().min(1).optional(),
          calls: count.optional(),
          mutating: count.optional(),
        })
        .prefault({}),
    })
    .prefault({}),
  paths: z.strictObject({ read: scope.optional(), write: scope.optional() }).prefault({}),
  repos: z.array(repository).min(1).optional(),
  rules: z.array(ruleSchema).min(1).optional(),
});

export type PolicyDocument = z.infer<typeof policyDocumentSchema>;
