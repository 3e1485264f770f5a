import { z } from "zod";
import { artifactExpectationSchema } from "../artifact/index.ts";
import { commitSchema, samplingFields, stopSequenceSchema } from "../contract/index.ts";
import { AirlockError } from "../fault/index.ts";
import { CONTRACT_SCENARIOS } from "./contract-scenario.ts";

const positive = z.int().min(1);

export const limitsSchema = z.strictObject({
  turns: positive.max(1_000).default(100),
  calls: positive.max(10_000).default(500),
  mutatingCalls: positive.max(10_000).default(200),
  /** requests per turn, the first one included */
  attempts: positive.max(20).default(3),
  corrections: z.int().min(0).max(20).default(2),
  /** how often a paused or cut output is sent again to be continued */
  continuations: z.int().min(0).max(100).default(5),
  maxOutputTokens: positive.max(1_000_000).nullable().default(null),
  /** how far `larger_budget` may raise the output budget of a turn */
  maxOutputTokensCap: positive.max(1_000_000).default(64_000),
  /** output tokens of all responses together, failed attempts included; null for no limit */
  outputTokens: positive.max(1_000_000_000).nullable().default(null),
  deadlineMs: positive.max(7 * 86_400_000).default(3_600_000),
});

/** What follows a cut output: a fresh attempt with a larger budget, the rest of it, or the end of the run. */
export const ON_TRUNCATED = ["larger_budget", "continue", "escalate"] as const;

/** What a submitter asks for. Every key is checked; an unknown one is an error. */
export const runSpecSchema = z.strictObject({
  route: z.string().min(1).max(64),
  model: z.string().min(1).max(200),
  instructions: z.string().max(1_000_000),
  input: z.string().min(1).max(4_000_000),
  tools: z.array(z.string().min(1).max(64)).max(64).default([]),
  policy: z.string().min(1).max(64),
  workspace: z
    .strictObject({
      source: z.string().min(1).max(4_096),
      ref: z.string().min(1).max(256),
      /** the commit that `ref` has to be; else the workspace is not made */
      baseRevision: commitSchema.optional(),
    })
    .optional(),
  expect: artifactExpectationSchema.default({ kind: "text" }),
  onTruncated: z.enum(ON_TRUNCATED).default("larger_budget"),
  stopSequences: z.array(stopSequenceSchema).max(4).default([]),
  ...samplingFields,
  parallel: z.enum(["on", "off"]).default("on"),
  allOrNothing: z.boolean().default(false),
  limits: limitsSchema.prefault({}),
  /** `rawMs`: how long partial and refused output is kept; 0: not at all. Left out: as the validator is set */
  retention: z
    .strictObject({
      rawMs: z
        .int()
        .min(0)
        .max(7 * 86_400_000),
    })
    .optional(),
  labels: z.record(z.string().max(64), z.string().max(256)).default({}),
  priority: z.int().min(0).max(10).default(5),
  /** Set by `airlock` itself: the run plays one contract scenario, and its end becomes a signed report. */
  contract: z.enum(CONTRACT_SCENARIOS).optional(),
});
export type RunSpec = z.infer<typeof runSpecSchema>;

/** Checks a spec and names every key that is wrong. `where` is the file or flag it came from. */
export function parseRunSpec(input: unknown, where: string): RunSpec {
  const parsed = runSpecSchema.safeParse(input);
  if (parsed.success) return parsed.data;
  throw new AirlockError("SPEC_INVALID", `${where}\n${issueLines(parsed.error)}`);
}

function issueLines(error: z.ZodError): string {
  return error.issues
    .map((issue) => `  ${issue.path.map(String).join(".") || "(top)"}: ${issue.message}`)
    .join("\n");
}
