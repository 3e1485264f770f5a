type Stage =
  | "json"
  | "wire"
  | "provider"
  | "terminal"
  | "verdict"
  | "policy"
  | "artifact"
  | "run"
  | "execution";

/**
 * Why an item, an attempt, a call or a run did not go through: the value of `errorClass` wherever one stands.
 * The table in docs/errors.md is compared with it.
 */
export const ERROR_CLASSES = {
  // json: the argument text is not exactly one strict value
  JSON_BAD_ESCAPE: { stage: "json", meaning: "a backslash escape that JSON doesn't have" },
  JSON_CONTROL_CHARACTER: { stage: "json", meaning: "a raw control character inside a string" },
  JSON_DUPLICATE_KEY: { stage: "json", meaning: "one object names a key twice" },
  JSON_EMPTY: { stage: "json", meaning: "there is no value" },
  JSON_FORBIDDEN_KEY: { stage: "json", meaning: "a key that could reach a prototype" },
  JSON_LONE_SURROGATE: { stage: "json", meaning: "half a surrogate pair" },
  JSON_NUMBER_NOT_FINITE: { stage: "json", meaning: "a number beyond every finite one" },
  JSON_NUMBER_UNSAFE: { stage: "json", meaning: "a number that two parsers could read differently" },
  JSON_SYNTAX: { stage: "json", meaning: "not JSON" },
  JSON_TOO_DEEP: { stage: "json", meaning: "nested deeper than the limit" },
  JSON_TOO_LARGE: { stage: "json", meaning: "longer than the limit" },
  JSON_TOP_LEVEL: { stage: "json", meaning: "one value, but not an object" },
  JSON_TRAILING_DATA: { stage: "json", meaning: "something follows the value" },
  JSON_TRUNCATED: { stage: "json", meaning: "the text ends before the value does" },
  // wire: how the bytes ended
  BAD_CONTENT_TYPE: { stage: "wire", meaning: "the answer is not an event stream" },
  BAD_UTF8: { stage: "wire", meaning: "bytes that are not UTF-8" },
  CANCELLED: { stage: "wire", meaning: "a person cancelled the run" },
  CONNECT_ERROR: { stage: "wire", meaning: "no connection to the route" },
  CONNECT_TIMEOUT: { stage: "wire", meaning: "connecting took too long" },
  FIRST_BYTE_TIMEOUT: { stage: "wire", meaning: "no first byte in time" },
  HTTP_ERROR: { stage: "wire", meaning: "the route answered with an error status" },
  IDLE_TIMEOUT: { stage: "wire", meaning: "the stream fell silent" },
  MESSAGE_TOO_LARGE: { stage: "wire", meaning: "one message of the stream is over the limit" },
  STREAMER_STOPPED: {
    stage: "wire",
    meaning: "the streamer was stopped, or lost its hold of the turn, in the middle of the response",
  },
  STREAM_RESET: { stage: "wire", meaning: "the connection broke" },
  STREAM_TOO_LARGE: { stage: "wire", meaning: "the response is over the limit" },
  STREAM_TRUNCATED: { stage: "wire", meaning: "the stream ended before its closing event" },
  TOTAL_TIMEOUT: { stage: "wire", meaning: "the response took too long" },
  // provider: what a response says of itself, in the words of its contract
  CALL_MALFORMED: { stage: "provider", meaning: "the provider could not read the model's own call" },
  CALL_UNEXPECTED: { stage: "provider", meaning: "the model called a tool that it was not given" },
  CONTEXT_FULL: { stage: "provider", meaning: "the conversation leaves the output no more room" },
  PROVIDER_ERROR: { stage: "provider", meaning: "the provider reported an error in the response" },
  PROVIDER_STOPPED: { stage: "provider", meaning: "the provider gave up and gave no other reason" },
  RESPONSE_CANCELLED: { stage: "provider", meaning: "the provider says that the response was cancelled" },
  RESPONSE_MALFORMED: { stage: "provider", meaning: "the provider could not read the model's output" },
  SIGNATURE_MISSING: {
    stage: "provider",
    meaning: "the provider misses the signature of a thought in the conversation",
  },
  TOO_MANY_CALLS: { stage: "provider", meaning: "the model made more calls than the provider allows" },
  // terminal: what the events contradict
  ARGUMENTS_MISMATCH: { stage: "terminal", meaning: "final arguments differ from the streamed ones" },
  ARGUMENTS_TOO_LARGE: { stage: "terminal", meaning: "arguments over the limit" },
  CALLS_ABSENT: { stage: "terminal", meaning: "calls were announced and none arrived whole" },
  EMPTY_STREAM: { stage: "terminal", meaning: "the stream held no response" },
  EVENT_AFTER_FINISH: { stage: "terminal", meaning: "content followed the finishing event" },
  EVENT_ORDER: { stage: "terminal", meaning: "events arrived in an impossible order" },
  IDENTITY_CONFLICT: { stage: "terminal", meaning: "one item has two identities" },
  ITEM_INCOMPLETE: { stage: "terminal", meaning: "an item was never declared finished" },
  RESTATED_MISMATCH: { stage: "terminal", meaning: "the closing event tells another story" },
  SIGNAL_CONFLICT: { stage: "terminal", meaning: "two different finishing signals" },
  SIGNAL_FOREIGN: { stage: "terminal", meaning: "a finishing signal of another family" },
  SIGNAL_UNFINISHED: { stage: "terminal", meaning: "the last signal says that the response still goes on" },
  SIGNAL_UNKNOWN: { stage: "terminal", meaning: "a finishing signal without a known meaning" },
  SIGNAL_UNREQUESTED: {
    stage: "terminal",
    meaning: "a finishing signal of something that was not asked for",
  },
  SIGNAL_UNSPECIFIED: { stage: "terminal", meaning: "a finishing signal that leaves its reason open" },
  STOP_SEQUENCE_UNKNOWN: {
    stage: "terminal",
    meaning: "a stop sequence that the run doesn't have ended the output",
  },
  STREAM_MALFORMED: { stage: "terminal", meaning: "a frame or a body that is not what its family sends" },
  STREAMER_LOST: { stage: "terminal", meaning: "the streamer died in the middle of the attempt" },
  TOO_MANY_ITEMS: { stage: "terminal", meaning: "more items than a response may have" },
  USAGE_AT_CAP: { stage: "terminal", meaning: "the output ends exactly at the requested budget" },
  // verdict
  CALL_ID_REUSED: { stage: "verdict", meaning: "two calls of one response share a call id" },
  RESPONSE_NOT_EXECUTABLE: {
    stage: "verdict",
    meaning: "the response did not end with an executable outcome",
  },
  SCHEMA_VIOLATION: { stage: "verdict", meaning: "the registered schema refuses the arguments" },
  TOOL_DRIFT: { stage: "verdict", meaning: "the tool changed since the run was admitted" },
  TOOL_UNKNOWN: { stage: "verdict", meaning: "the tool is not registered for the run" },
  // policy
  APPROVAL_EXPIRED: { stage: "policy", meaning: "nobody approved in time" },
  APPROVAL_DENIED: { stage: "policy", meaning: "a person denied the call" },
  APPROVAL_REMOVED: {
    stage: "policy",
    meaning: "the question whether the call may run was removed, which denies it",
  },
  APPROVAL_NOT_ASKED: {
    stage: "policy",
    meaning: "policy wants an approval, and denies where nobody is asked",
  },
  POLICY_FORBIDDEN: { stage: "policy", meaning: "policy forbids the call" },
  POLICY_QUARANTINED: { stage: "policy", meaning: "policy sets the call aside" },
  PROVISIONAL_DROPPED: {
    stage: "policy",
    meaning: "the call was released before its response had ended, and the response came to nothing",
  },
  SIBLING_REFUSED: { stage: "policy", meaning: "another call of an all-or-nothing turn was refused" },
  ROUTE_UNVERIFIED: { stage: "policy", meaning: "no contract report allows this effect on the route" },
  // artifact
  ARTIFACT_INVALID: { stage: "artifact", meaning: "the final output is not what the spec expects" },
  // run
  ADAPTER_MISMATCH: {
    stage: "run",
    meaning: "the streamer reads this family by another version of its adapter",
  },
  ADMISSION_REFUSED: { stage: "run", meaning: "the run was refused at the door" },
  APPROVAL_REQUESTED: {
    stage: "run",
    meaning: "the response waits for an approval, and nothing in it says of what",
  },
  API_KEY_MISSING: { stage: "run", meaning: "the streamer holds no COMETAPI_KEY for a route to CometAPI" },
  ATTEMPTS_EXHAUSTED: { stage: "run", meaning: "the last allowed attempt failed" },
  BUDGET_CALLS: { stage: "run", meaning: "the run's budget of calls is used up" },
  BUDGET_MUTATING: { stage: "run", meaning: "the run's budget of calls with effects is used up" },
  BUDGET_OUTPUT_TOKENS: { stage: "run", meaning: "the run's budget of output tokens is used up" },
  BUDGET_TURNS: { stage: "run", meaning: "the run's budget of turns is used up" },
  CONTINUATIONS_EXHAUSTED: {
    stage: "run",
    meaning: "the model paused more often than the run allows",
  },
  CORRECTIONS_EXHAUSTED: { stage: "run", meaning: "the last allowed correction gave no valid artifact" },
  DEADLINE_EXCEEDED: { stage: "run", meaning: "the run's deadline passed" },
  POOL_LOST: {
    stage: "run",
    meaning: "every executor of the run's pool is gone, and its workspace with them",
  },
  REQUEST_REFUSED: { stage: "run", meaning: "the route refused the request, and would refuse it again" },
  OUTPUT_TRUNCATED: { stage: "run", meaning: "the output was cut, and no larger budget is left or wanted" },
  PROVIDER_POLICY_STOP: { stage: "run", meaning: "the provider stopped the response by its own policy" },
  // execution
  APPROVAL_INVALID: {
    stage: "execution",
    meaning: "the executor did not find the signed answers that the grant rests on",
  },
  CLAIM_LOST: { stage: "execution", meaning: "another executor holds the call" },
  COMMAND_NOT_FOUND: { stage: "execution", meaning: "the program is not in the executor's table" },
  DISK_FULL: { stage: "execution", meaning: "the executor's volume has no room left; nothing was changed" },
  DURABILITY_UNAVAILABLE: { stage: "execution", meaning: "Redis would not keep what was written" },
  GRANT_EXPIRED: { stage: "execution", meaning: "the grant came too late" },
  GRANT_INVALID: { stage: "execution", meaning: "the grant does not fit the call" },
  KEY_REUSED: { stage: "execution", meaning: "the item key was used with other arguments" },
  KILL_SWITCH: { stage: "execution", meaning: "a person has stopped what the call belongs to" },
  NOT_EXECUTED: { stage: "execution", meaning: "the call had begun, and was shown not to have run" },
  OUTCOME_UNKNOWN: { stage: "execution", meaning: "the call began and its end was not seen" },
  OUTPUT_LIMIT: { stage: "execution", meaning: "the tool wrote more than its limit" },
  PATCH_REFUSED: { stage: "execution", meaning: "the patch is malformed, does not fit, or reaches too far" },
  PATH_REFUSED: { stage: "execution", meaning: "the path leaves the workspace or names a protected place" },
  POLICY_CHANGED: { stage: "execution", meaning: "policy, asked again before the call began, stops it" },
  PUSH_UNAVAILABLE: { stage: "execution", meaning: "the operator lets nothing be pushed from here" },
  QUOTA_EXCEEDED: {
    stage: "execution",
    meaning: "the workspace holds more than its repository's quota allows; only removing goes on",
  },
  REPEATED_EFFECT: {
    stage: "execution",
    meaning: "an older call had, or may have had, the same effect",
  },
  SANDBOX_FAILED: { stage: "execution", meaning: "the sandbox broke; no tool output exists" },
  SANDBOX_UNAVAILABLE: { stage: "execution", meaning: "a guarantee that the tool needs does not hold here" },
  TOOL_FAILED: { stage: "execution", meaning: "the tool itself reported an error" },
  TOOL_TIMEOUT: { stage: "execution", meaning: "the tool took longer than its limit" },
  TOO_OLD: { stage: "execution", meaning: "the grant is older than what the ledger remembers" },
  WORKSPACE_FAILED: { stage: "execution", meaning: "the workspace could not be prepared" },
  WORKSPACE_FROZEN: {
    stage: "execution",
    meaning: "nobody knows yet whether an earlier call has changed the workspace",
  },
  WORKSPACE_STALE: { stage: "execution", meaning: "another call has taken the workspace meanwhile" },
} as const satisfies Record<string, { readonly stage: Stage; readonly meaning: string }>;

export type ErrorClass = keyof typeof ERROR_CLASSES;

export function isErrorClass(value: string): value is ErrorClass {
  return Object.hasOwn(ERROR_CLASSES, value);
}
