/** How each family puts an error. As with CometAPI, the request id stands in the message. */
import type { ErrorFields } from "../refusal.ts";

export type ErrorBody = (fields: ErrorFields, requestId: string) => string;

/** CometAPI's own envelope, which is OpenAI's. */
export const openaiError: ErrorBody = ({ message, type, param, code }, requestId) =>
  JSON.stringify({ error: { message: withId(message, requestId), type, param, code } });

const ANTHROPIC_TYPES: ReadonlyMap<number, string> = new Map([
  [400, "invalid_request_error"],
  [401, "authentication_error"],
  [403, "permission_error"],
  [404, "not_found_error"],
  [405, "invalid_request_error"],
  [413, "request_too_large"],
  [429, "rate_limit_error"],
  [504, "timeout_error"],
  [529, "overloaded_error"],
]);

export const anthropicError: ErrorBody = ({ status, message, param }, requestId) => {
  const type = ANTHROPIC_TYPES.get(status) ?? "api_error";
  const text = withId(param === "" ? message : `${param}: ${message}`, requestId);
  return JSON.stringify({ type: "error", error: { type, message: text }, request_id: requestId });
};

const GOOGLE_STATUSES: ReadonlyMap<number, string> = new Map([
  [400, "INVALID_ARGUMENT"],
  [401, "UNAUTHENTICATED"],
  [403, "PERMISSION_DENIED"],
  [404, "NOT_FOUND"],
  [405, "UNIMPLEMENTED"],
  [413, "INVALID_ARGUMENT"],
  [429, "RESOURCE_EXHAUSTED"],
  [503, "UNAVAILABLE"],
  [504, "DEADLINE_EXCEEDED"],
]);

export const geminiError: ErrorBody = ({ status, message, param }, requestId) => {
  const violation = { field: param, description: message };
  const details = { "@type": "type.googleapis.com/google.rpc.BadRequest", fieldViolations: [violation] };
  return JSON.stringify({
    error: {
      code: status,
      message: withId(message, requestId),
      status: GOOGLE_STATUSES.get(status) ?? "INTERNAL",
      ...(param === "" ? {} : { details: [details] }),
    },
  });
};

function withId(message: string, requestId: string): string {
  return `${message} (request id: ${requestId})`;
}
