import { z } from "zod";
import { DECISIONS } from "./decision.ts";
import { globProblem } from "./globs.ts";

const glob = z.string().superRefine((text, context) => {
  const problem = globProblem(text);
  if (problem !== null) context.addIssue({ code: "custom", message: problem });
});

const scope = z.strictObject({ allow: z.array(glob).default([]), forbid: z.array(glob).default([]) });

const program = z
  .string()
  .regex(
    /^[A-Za-z0-9._+-]+$/,
    "a program is named without a path, in letters, digits, '.', '_', '+' and '-'",
  );
const subcommand = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9:._-]*$/, "a subcommand is one plain word");
const flag = z.string().regex(/^--?[A-Za-z0-9][A-Za-z0-9-]*=?$/, "a flag is written -x, --name or --name=");
const bareFlag = z.string().regex(/^--?[A-Za-z0-9][A-Za-z0-9-]*$/, "a flag is written -x or --name");

const command = z.strictObject({
  exe: program,
  sub: z.array(subcommand).min(1).optional(),
  flags: z
    .strictObject({
      allow: z.array(flag).optional(),
      require: z.array(bareFlag).optional(),
      forbid: z.array(bareFlag).optional(),
    })
    .optional(),
  positionals: z
    .strictObject({ max: z.int().min(0).optional(), allow: z.array(glob).min(1).optional() })
    .optional(),
});

const example = z.union([z.string(), z.array(z.string()).min(1), z.record(z.string(), z.json())], {
  error: "an example is a command, an argv list or an argument object",
});

/** Ids of findings that no rule makes; see `findings.ts`. */
const RESERVED_IDS: ReadonlySet<string> = new Set(["no-match", "evaluator-error"]);

const rule = z.strictObject({
  id: z
    .string()
    .regex(/^[a-z0-9][a-z0-9-]{0,63}$/, "an id is made of a-z, 0-9 and -")
    .refine((id) => !RESERVED_IDS.has(id), "this id is taken by Airlock itself"),
  decision: z.enum(DECISIONS),
  tool: z.string().min(1),
  command: command.optional(),
  /** Shown to the model, approvers and in logs: it must hold no secret. */
  reason: z.string().min(1).max(500).optional(),
  match: z.array(example).optional(),
  notMatch: z.array(example).optional(),
});

/** The policy file. Every key that is not here is an error. */
export const policyDocumentSchema = z.strictObject({
  apiVersion: z.literal("airlock.policy/v1"),
  mode: z.literal("enforce"),
  defaults: z.strictObject({ noMatch: z.literal("forbid").default("forbid") }).prefault({}),
  limits: z
    .strictObject({
      /** UTF-8 bytes of the arguments' canonical form. */
      argsBytes: z.int().min(1).max(1_048_576).default(1_048_576),
    })
    .prefault({}),
  paths: z.strictObject({ read: scope.prefault({}), write: scope.prefault({}) }).prefault({}),
  rules: z.array(rule).min(1),
});

export type PolicyDocument = z.infer<typeof policyDocumentSchema>;
export type PolicyRuleDocument = PolicyDocument["rules"][number];
export type PolicyExample = z.infer<typeof example>;
