import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ResponseBody } from "@airlock/core/contract";
import type { RunPlan } from "@airlock/core/run";
import { nextStep, type Progress, type Step } from "../../src/outcome/next-step.ts";

const limits = {
  turns: 100,
  calls: 500,
  mutatingCalls: 200,
  attempts: 3,
  corrections: 2,
  continuations: 5,
  maxOutputTokens: null,
  outputTokens: null,
  maxOutputTokensCap: 10_000,
  deadlineMs: 1,
};
type Kind = ResponseBody["outcome"]["kind"];
type Action = ResponseBody["outcome"]["action"];

interface Case {
  readonly outcome: readonly [Kind, Action];
  readonly attempt?: number;
  readonly errorClass?: ResponseBody["errorClass"];
  readonly httpStatus?: number | null;
  readonly errorCode?: string | null;
  readonly onTruncated?: RunPlan["onTruncated"];
  readonly budget?: number | null;
  readonly items?: readonly ResponseBody["items"][number]["kind"][];
  readonly stopSequence?: number | null;
  readonly progress?: Partial<Progress>;
}

function stepOf(given: Case): Step {
  const { outcome, attempt = 1, errorClass = null, httpStatus = 200, errorCode = null } = given;
  const [kind, action] = outcome;
  const response: ResponseBody = {
    version: 1,
    run: "r0123456789abcdefghjk",
    turn: 1,
    attempt,
    adapter: "responses@2",
    responseId: null,
    raw: null,
    outcome: { kind, action },
    errorClass,
    stopSequence: given.stopSequence ?? null,
    items: (given.items ?? []).map((each, ordinal) => ({ ordinal, kind: each })),
    inputTokens: null,
    outputTokens: null,
    httpStatus,
    errorCode,
    transport: { end: "clean", bytes: 0, messages: 0, unknownEvents: 0 },
    durationMs: 0,
    retryAfterMs: null,
  };
  return nextStep(
    response,
    { limits, onTruncated: given.onTruncated ?? "larger_budget" },
    {
      turn: 1,
      continuations: 0,
      maxOutputTokens: given.budget ?? null,
      verified: true,
      spent: null,
      ...given.progress,
    },
  );
}

const ended = (state: string, errorClass: string) => ({ kind: "end", state, errorClass });
const retry = (maxOutputTokens: number | null, reason: string) => ({
  kind: "retry",
  maxOutputTokens,
  reason,
});

describe("what follows a response", () => {
  test.each<[string, Case, unknown]>([
    ["calls are unlocked", { outcome: ["action_required", "tool"] }, { kind: "unlock" }],
    [
      "a hosted tool's approval without a request is not given",
      { outcome: ["action_required", "approve"] },
      ended("escalated", "APPROVAL_REQUESTED"),
    ],
    [
      "a hosted tool's request is judged and answered",
      { outcome: ["action_required", "approve"], items: ["message", "approval_request"] },
      { kind: "unlock" },
    ],
    ["a pause is continued", { outcome: ["action_required", "continue"] }, { kind: "continue" }],
    [
      "a pause is continued up to the limit of the run",
      { outcome: ["action_required", "continue"], progress: { continuations: 4, turn: 99 } },
      { kind: "continue" },
    ],
    [
      "a pause beyond the limit escalates",
      { outcome: ["action_required", "continue"], progress: { continuations: 5 } },
      ended("escalated", "CONTINUATIONS_EXHAUSTED"),
    ],
    [
      "a pause in the last turn escalates",
      { outcome: ["action_required", "continue"], progress: { turn: 100 } },
      ended("escalated", "BUDGET_TURNS"),
    ],
    [
      "a pause on a route without reports escalates",
      { outcome: ["action_required", "continue"], progress: { verified: false } },
      ended("escalated", "ROUTE_UNVERIFIED"),
    ],
    [
      "an action without a name runs nothing",
      { outcome: ["action_required", null] },
      ended("escalated", "APPROVAL_REQUESTED"),
    ],
    ["an output is judged", { outcome: ["candidate_complete", null] }, { kind: "judge_artifact" }],
    [
      "a policy stop ends the run",
      { outcome: ["policy_stop", null] },
      ended("policy_stopped", "PROVIDER_POLICY_STOP"),
    ],
    [
      "a cut output gets twice the default budget",
      { outcome: ["truncated", null] },
      retry(8_192, "OUTPUT_TRUNCATED"),
    ],
    [
      "a cut output gets twice its budget",
      { outcome: ["truncated", null], budget: 100 },
      retry(200, "OUTPUT_TRUNCATED"),
    ],
    [
      "a cut output gets no more than the cap",
      { outcome: ["truncated", null], budget: 9_000 },
      retry(10_000, "OUTPUT_TRUNCATED"),
    ],
    [
      "a cut output at the cap ends the run",
      { outcome: ["truncated", null], budget: 10_000 },
      ended("truncated", "OUTPUT_TRUNCATED"),
    ],
    [
      "a cut output above the cap ends the run",
      { outcome: ["truncated", null], budget: 12_000 },
      ended("truncated", "OUTPUT_TRUNCATED"),
    ],
    [
      "a cut output of the last attempt ends the run",
      { outcome: ["truncated", null], attempt: 3 },
      ended("truncated", "OUTPUT_TRUNCATED"),
    ],
    [
      "a cut output escalates where the spec says so",
      { outcome: ["truncated", null], onTruncated: "escalate" },
      ended("escalated", "OUTPUT_TRUNCATED"),
    ],
    [
      "what a stop sequence cut escalates as well where the spec says so",
      { outcome: ["truncated", null], onTruncated: "escalate", stopSequence: 0 },
      ended("escalated", "OUTPUT_TRUNCATED"),
    ],
    [
      "a cut text is continued where the spec says so",
      { outcome: ["truncated", null], onTruncated: "continue", items: ["message"] },
      { kind: "stitch" },
    ],
    [
      "a cut text is continued up to the limit of the run",
      {
        outcome: ["truncated", null],
        onTruncated: "continue",
        items: ["message", "message"],
        progress: { continuations: 5 },
      },
      ended("escalated", "CONTINUATIONS_EXHAUSTED"),
    ],
    [
      "a cut text is not continued on a route without reports",
      {
        outcome: ["truncated", null],
        onTruncated: "continue",
        items: ["message"],
        progress: { verified: false },
      },
      ended("escalated", "ROUTE_UNVERIFIED"),
    ],
    [
      "a cut output with a call is not continued",
      { outcome: ["truncated", null], onTruncated: "continue", items: ["message", "tool_call"] },
      ended("truncated", "OUTPUT_TRUNCATED"),
    ],
    [
      "a cut output without text is not continued",
      { outcome: ["truncated", null], onTruncated: "continue", items: [] },
      ended("truncated", "OUTPUT_TRUNCATED"),
    ],
    [
      "what a stop sequence cut is not continued",
      { outcome: ["truncated", null], onTruncated: "continue", items: ["message"], stopSequence: 0 },
      ended("truncated", "OUTPUT_TRUNCATED"),
    ],
    [
      "what a stop sequence cut gets no larger budget, which the sequence would cut as well",
      { outcome: ["truncated", null], stopSequence: 0 },
      ended("truncated", "OUTPUT_TRUNCATED"),
    ],
    [
      "what a full conversation cut gets no larger budget",
      { outcome: ["truncated", null], errorClass: "CONTEXT_FULL" },
      ended("truncated", "OUTPUT_TRUNCATED"),
    ],
    [
      "what a full conversation cut is not continued",
      {
        outcome: ["truncated", null],
        errorClass: "CONTEXT_FULL",
        onTruncated: "continue",
        items: ["message"],
      },
      ended("truncated", "OUTPUT_TRUNCATED"),
    ],
    [
      "a response that outlived its run ends the run",
      { outcome: ["indeterminate", null], errorClass: "DEADLINE_EXCEEDED" },
      ended("escalated", "DEADLINE_EXCEEDED"),
    ],
    [
      "a streamer that was stopped is followed by a fresh attempt",
      { outcome: ["indeterminate", null], errorClass: "STREAMER_STOPPED" },
      retry(null, "STREAMER_STOPPED"),
    ],
    [
      "an overload within a stream gets a fresh attempt",
      { outcome: ["indeterminate", null], errorClass: "PROVIDER_ERROR", errorCode: "overloaded_error" },
      retry(null, "PROVIDER_ERROR"),
    ],
    [
      "a refusal of the request within a stream is not repeated",
      { outcome: ["indeterminate", null], errorClass: "PROVIDER_ERROR", errorCode: "invalid_prompt" },
      ended("failed", "REQUEST_REFUSED"),
    ],
    [
      "a signature that is missing from the conversation would be missed again",
      { outcome: ["indeterminate", null], errorClass: "SIGNATURE_MISSING" },
      ended("failed", "SIGNATURE_MISSING"),
    ],
    [
      "a broken stream gets a fresh attempt with the same budget",
      { outcome: ["indeterminate", null], errorClass: "STREAM_RESET", budget: 7 },
      retry(7, "STREAM_RESET"),
    ],
    [
      "an unknown signal gets a fresh attempt",
      { outcome: ["indeterminate", null] },
      retry(null, "SIGNAL_UNKNOWN"),
    ],
    [
      "the last attempt escalates",
      { outcome: ["indeterminate", null], attempt: 3, errorClass: "STREAM_RESET" },
      ended("escalated", "ATTEMPTS_EXHAUSTED"),
    ],
    [
      "a drifted tool ends the run",
      { outcome: ["indeterminate", null], errorClass: "TOOL_DRIFT" },
      ended("failed", "TOOL_DRIFT"),
    ],
    [
      "a status without a response gets a fresh attempt",
      { outcome: ["indeterminate", null], errorClass: "CONNECT_ERROR", httpStatus: null },
      retry(null, "CONNECT_ERROR"),
    ],
  ])("%s", (_, given, expected) => {
    expect(stepOf(given)).toEqual(expected);
  });

  test.each([301, 307, 400, 401, 402, 403, 404, 405, 413, 422, 501])(
    "a refusal with %i is not repeated",
    (httpStatus) => {
      const given: Case = { outcome: ["indeterminate", null], errorClass: "HTTP_ERROR", httpStatus };
      expect(stepOf(given)).toEqual(ended("failed", "REQUEST_REFUSED"));
    },
  );

  test.each<[string, Case]>([
    ["a retry", { outcome: ["indeterminate", null], errorClass: "STREAM_RESET" }],
    ["a larger budget", { outcome: ["truncated", null] }],
    ["a continued pause", { outcome: ["action_required", "continue"] }],
    ["a continued text", { outcome: ["truncated", null], onTruncated: "continue", items: ["message"] }],
  ])("%s needs what the run has spent", (_, given) => {
    const step = stepOf({ ...given, progress: { spent: "BUDGET_OUTPUT_TOKENS" } });
    expect(step).toEqual(ended("escalated", "BUDGET_OUTPUT_TOKENS"));
  });

  test.each<[string, Case, unknown]>([
    ["calls", { outcome: ["action_required", "tool"] }, { kind: "unlock" }],
    ["an artifact", { outcome: ["candidate_complete", null] }, { kind: "judge_artifact" }],
    ["an ending", { outcome: ["policy_stop", null] }, ended("policy_stopped", "PROVIDER_POLICY_STOP")],
  ])("%s of the response that spent the last of a budget still counts", (_, given, step) => {
    expect(stepOf({ ...given, progress: { spent: "DEADLINE_EXCEEDED" } })).toEqual(step);
  });

  test("a malformed request is not repeated, whatever status CometAPI gives it", () => {
    const given = { outcome: ["indeterminate", null], errorClass: "HTTP_ERROR", httpStatus: 500 } as const;
    expect(stepOf({ ...given, errorCode: "invalid_request" })).toEqual(ended("failed", "REQUEST_REFUSED"));
    expect(stepOf({ ...given, errorCode: "server_error" })).toEqual(retry(null, "HTTP_ERROR"));
  });

  test.each([408, 409, 425, 429, 500, 502, 503, 504, 524, 529])(
    "a status %i gets a fresh attempt",
    (httpStatus) => {
      const given: Case = { outcome: ["indeterminate", null], errorClass: "HTTP_ERROR", httpStatus };
      expect(stepOf(given)).toEqual(retry(null, "HTTP_ERROR"));
    },
  );

  test("is an unlock for nothing but an executable outcome, and never a retry without end", () => {
    const kinds = [
      "candidate_complete",
      "truncated",
      "action_required",
      "policy_stop",
      "indeterminate",
    ] as const;
    fc.assert(
      fc.property(
        fc.constantFrom(...kinds),
        fc.constantFrom("tool" as const, "continue" as const, "approve" as const, null),
        fc.integer({ min: 1, max: 6 }),
        fc.option(fc.integer({ min: 1, max: 20_000 })),
        (kind, action, attempt, budget) => {
          // an approval without a request is answered by nobody
          const step = stepOf({ outcome: [kind, action], attempt, budget });
          expect(step.kind === "unlock").toBe(kind === "action_required" && action === "tool");
          if (step.kind !== "retry") return;
          expect(attempt).toBeLessThan(limits.attempts);
          expect(step.maxOutputTokens ?? 0).toBeLessThanOrEqual(
            Math.max(limits.maxOutputTokensCap, budget ?? 0),
          );
        },
      ),
    );
  });
});
