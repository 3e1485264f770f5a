import { z } from "zod";
import { itemStateSchema } from "../call/index.ts";
import { grantedWorkspaceSchema, samplingFields } from "../contract/index.ts";
import { DECISIONS, RISKS } from "../policy/index.ts";
import { CONTRACT_SCENARIOS } from "./contract-scenario.ts";
import { limitsSchema, ON_TRUNCATED } from "./spec.ts";
import { runStateSchema } from "./states.ts";

const number = z.coerce.number();
const flag = z.literal("1").optional();
const json = <Schema extends z.ZodType>(schema: Schema) =>
  z
    .string()
    .transform((text, context): unknown => {
      try {
        return JSON.parse(text);
      } catch {
        context.addIssue("it is no JSON");
        return z.NEVER;
      }
    })
    .pipe(schema);

/** What admission pinned: nothing of it changes during the run. */
export const runPlanSchema = z.strictObject({
  tools: z.array(
    z.strictObject({
      name: z.string(),
      digest: z.string(),
      effect: z.enum(["read", "idempotent", "mutating"]),
    }),
  ),
  limits: limitsSchema,
  expectKind: z.string(),
  onTruncated: z.enum(ON_TRUNCATED),
  /** how many; their texts stay in the sealed spec */
  stopSequences: z.number().default(0),
  /** how long what is set aside of it is kept */
  rawMs: z.number().default(0),
  ...samplingFields,
  parallel: z.enum(["on", "off"]),
  allOrNothing: z.boolean(),
  workspace: grantedWorkspaceSchema.nullable(),
  /** a pool that admission named; left out, the first call binds the run to one */
  pool: z.string().exactOptional(),
  specDigest: z.string(),
  contract: z.enum(CONTRACT_SCENARIOS).nullable(),
  priority: z.number(),
});
export type RunPlan = z.infer<typeof runPlanSchema>;

/** `airlock:{run}:run`. Times are milliseconds of Redis' clock. */
export const runHashSchema = z.object({
  state: runStateSchema,
  route: z.string(),
  model: z.string(),
  policy: z.string(),
  plan: json(runPlanSchema).optional(),
  requestedBy: z.string(),
  labels: json(z.record(z.string(), z.string())),
  createdAt: number,
  endedAt: number.optional(),
  deadlineAt: number.optional(),
  turn: number.default(0),
  calls: number.default(0),
  mutatingCalls: number.default(0),
  outputTokens: number.default(0),
  /** attempts whose output tokens the route did not report, and that were charged by their bound */
  unreportedAttempts: number.default(0),
  corrections: number.default(0),
  continuations: number.default(0),
  /** how often a person had it go on after its end */
  requeues: number.default(0),
  /** when its keys go, of a run that has ended */
  keepUntil: number.optional(),
  /** the executors that its workspace lies with, from its first call on */
  pool: z.string().optional(),
  poolBoundAt: number.optional(),
  cancelled: flag,
  /** the feed was told of its end */
  told: flag,
  errorClass: z.string().optional(),
  detail: z.string().optional(),
  artifactKind: z.string().optional(),
  artifact: z.string().optional(),
  /** until when the last text of a run is kept that ended short of its artifact */
  rawUntil: number.optional(),
});
export type RunHash = z.infer<typeof runHashSchema>;

const TURN_STATES = ["streaming", "calls", "closed"] as const;
/** How far a call of the turn is: `waiting` for earlier ones, `released` to the executor, `settled`. */
export const CALL_STAGES = ["waiting", "released", "settled"] as const;
export type CallStage = (typeof CALL_STAGES)[number];

/** `airlock:{run}:turn:<n>`, but for its `call:<item key>`, `need:<item key>` and `refused:<attempt>` fields. */
export const turnHashSchema = z.object({
  state: z.enum(TURN_STATES),
  attempt: number,
  maxOutputTokens: z.string().transform((text) => (text === "" ? null : Number(text))),
  /** the output goes on where the last turn's paused or was cut */
  stitched: flag,
});
export interface TurnCall {
  readonly stage: CallStage;
  /** earlier calls of the turn that have to be settled first */
  readonly needs: readonly string[];
}
export type TurnHash = z.infer<typeof turnHashSchema> & {
  readonly calls: ReadonlyMap<string, TurnCall>;
  /** by attempt: why its output was not taken */
  readonly refusals: ReadonlyMap<number, string>;
};

/** `airlock:{run}:attempt:<n>.<m>`. */
export const attemptHashSchema = z.object({
  state: z.enum(["begun", "committed"]),
  owner: z.string(),
  record: z.string().optional(),
  responseId: z.string().optional(),
  raw: z.string().optional(),
  outcome: z.string().optional(),
  errorClass: z.string().optional(),
  /** of a contract run, sealed: the bytes of the response */
  recording: z.string().optional(),
  /** sealed: what the provider said of the end in words */
  providerText: z.string().optional(),
  /** until when the bytes of a response that did not end well are kept */
  rawUntil: number.optional(),
});
export type AttemptHash = z.infer<typeof attemptHashSchema>;

/** `airlock:{run}:item:<item key>`: the signed record, and until when content is kept that is set aside. */
export const itemHashSchema = z.object({ record: z.string(), rawUntil: number.optional() });

/** What policy said of a call: every finding, the one that won, and the policy that said so. */
export const callDecisionSchema = z.object({
  decision: z.enum(DECISIONS),
  winning: z.string(),
  reason: z.string(),
  policyDigest: z.string(),
  matched: z
    .array(
      z
        .object({
          rule: z.string(),
          decision: z.enum(DECISIONS),
          reason: z.string(),
          /** the model may not see it */
          private: z.literal(true).exactOptional(),
        })
        .readonly(),
    )
    .readonly(),
  approval: z
    .object({
      risk: z.enum(RISKS),
      ttlMs: z.number().nullable(),
      quorum: z.number(),
      onAsk: z.enum(["park", "deny"]),
    })
    .readonly()
    .nullable(),
  /** what a policy in mode shadow would have decided otherwise */
  shadow: z
    .object({ rule: z.string(), enforced: z.enum(DECISIONS), shadow: z.enum(DECISIONS) })
    .readonly()
    .nullable(),
});
export type CallDecision = Readonly<z.infer<typeof callDecisionSchema>>;

/** `airlock:{run}:call:<item key>`: verdict, decision, grant and settlement. */
export const callHashSchema = z.object({
  state: itemStateSchema,
  tool: z.string(),
  callId: z.string(),
  argumentsKind: z.enum(["json", "text"]),
  bytes: number,
  effect: z.enum(["read", "idempotent", "mutating"]).optional(),
  decision: z.string().optional(),
  /** the rule that decided */
  rule: z.string().optional(),
  rules: json(z.array(z.string())).optional(),
  policyDecision: json(callDecisionSchema).optional(),
  errorClass: z.string().optional(),
  detail: z.string().optional(),
  /** sealed */
  claims: z.string().optional(),
  argumentsDigest: z.string().optional(),
  manifestDigest: z.string().optional(),
  policyDigest: z.string().optional(),
  notAfter: number.optional(),
  grant: number.default(0),
  /** of a call that waits for people: the end of the wait, and what the validator asked them */
  approvalUntil: number.optional(),
  /** how many questions were asked about it; this one is known by its nonce */
  request: number.default(0),
  nonce: z.string().optional(),
  /** signed by the validator */
  askRecord: z.string().optional(),
  /** the job on `approvals` was there: from now on its absence means that somebody removed it */
  parkedAt: number.optional(),
  /** the workspace's epoch when it was asked */
  askedEpoch: number.optional(),
  /** who approved */
  approvers: json(z.array(z.string())).optional(),
  /** who denied */
  deniedBy: z.string().optional(),
  grantRecord: z.string().optional(),
  /** the grant that was taken back when it was asked about once more: the next one follows it */
  voidGrant: number.optional(),
  /** the older call whose effect it would repeat */
  repeats: z.string().optional(),
  /** the older call whose result stands for its own */
  recordedOf: z.string().optional(),
  expiresAt: number.optional(),
  settled: itemStateSchema.optional(),
  status: z.string().optional(),
  contentDigest: z.string().optional(),
  resultBytes: number.optional(),
  durationMs: number.optional(),
  /** it ran or could have run early, and its response came to nothing */
  dropped: flag,
  /** until when the arguments of a refused call are kept */
  rawUntil: number.optional(),
});
export type CallHash = z.infer<typeof callHashSchema>;
