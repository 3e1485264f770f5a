import type { ResponseBody } from "@airlock/core/contract";
import { responseKey } from "@airlock/core/record";
import { responseDecisionSchema, type ResponseDecision } from "@airlock/core/runtime";
import type { Deps } from "../deps.ts";
import type { AdmittedRun } from "../verdict/judgement.ts";
import type { JudgedCalls } from "./committed.ts";
import { contractFinding } from "./contract-finding.ts";

/** What came of a response, in the words of the decision log. */
export type Followed = ResponseDecision["decision"];

/** Writes the one line of the response decision log. */
export function logResponse(
  deps: Deps,
  response: { readonly body: ResponseBody; readonly run: AdmittedRun; readonly calls: JudgedCalls },
  decision: Followed,
): void {
  const { body, run, calls } = response;
  deps.metrics.count("airlock_outcomes_total", { route: run.route, outcome: body.outcome.kind });
  if (contractFinding(body) === "broken")
    deps.metrics.count("airlock_finish_mismatches_total", { route: run.route, class: body.errorClass ?? "" });
  const line = responseDecisionSchema.parse({
    timestamp: new Date().toISOString(),
    run_id: body.run,
    request_id: responseKey(body),
    model_id: run.model,
    provider_family: deps.routes.get(run.route)?.family ?? "",
    endpoint_family: body.adapter,
    http_status: body.httpStatus,
    stream_terminal_seen: body.transport.end === "closed_by_marker",
    raw_finish_signal: body.raw,
    normalized_outcome: body.outcome.kind,
    input_tokens: body.inputTokens,
    output_tokens: body.outputTokens,
    response_bytes: body.transport.bytes,
    tool_calls_present: calls.size > 0,
    schema_valid:
      calls.size === 0 ? null : [...calls.values()].every((call) => call.argumentsDigest !== undefined),
    retry_count: body.attempt - 1,
    decision,
  });
  deps.log.decision(line);
  deps.keepDecision("response", line);
}
