import { z } from "zod";
import { RISKS } from "./approval-options.ts";
import { patternProblem } from "./argument-pattern.ts";
import { BUILT_IN_FINDINGS } from "./built-in-finding.ts";
import { commandSchema } from "./command/index.ts";
import { DECISIONS } from "./decision.ts";
import { durationSchema } from "./duration.ts";
import { globProblem } from "./globs.ts";

function checked(problemOf: (text: string) => string | null) {
  return z.string().superRefine((text, context) => {
    const message = problemOf(text);
    if (message !== null) context.addIssue({ code: "custom", message });
  });
}

export const globSchema = checked(globProblem);

const approve = z.strictObject({
  risk: z.enum(RISKS).default("medium"),
  ttl: durationSchema.optional(),
  quorum: z.int().min(1).max(10).default(1),
});

const example = z.union([z.string(), z.array(z.string()).min(1), z.record(z.string(), z.json())], {
  error: "an example is a command, an argv list or an argument object",
});

const RESERVED_IDS: ReadonlySet<string> = new Set(BUILT_IN_FINDINGS);

export const ruleSchema = z.strictObject({
  id: z
    .string()
    .regex(/^[a-z0-9][a-z0-9-]{0,63}$/, "an id is made of a-z, 0-9 and -")
    .refine((id) => !RESERVED_IDS.has(id), "this id is taken by Airlock itself"),
  decision: z.enum(DECISIONS),
  tool: z.string().min(1),
  command: commandSchema.optional(),
  args: z.record(z.string(), checked(patternProblem)).optional(),
  approve: approve.optional(),
  /** Shown to the model unless `private`, to approvers and in logs: it must hold no secret. */
  reason: z.string().min(1).max(500).optional(),
  private: z.boolean().optional(),
  match: z.array(example).optional(),
  notMatch: z.array(example).optional(),
});

export type PolicyRuleDocument = z.infer<typeof ruleSchema>;
export type PolicyExample = z.infer<typeof example>;
