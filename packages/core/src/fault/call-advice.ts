import type { ERROR_CLASSES, ErrorClass } from "./error-classes.ts";

type StageOf<Name extends ErrorClass> = (typeof ERROR_CLASSES)[Name]["stage"];

/** The stages whose every class can end a call without a result, and the classes of other stages that can. */
export type CallClass =
  | {
      [Name in ErrorClass]: StageOf<Name> extends "json" | "verdict" | "policy" | "execution" ? Name : never;
    }[ErrorClass]
  | "ARGUMENTS_MISMATCH"
  | "ARGUMENTS_TOO_LARGE"
  | "BAD_UTF8"
  | "CANCELLED"
  | "EVENT_ORDER"
  | "IDENTITY_CONFLICT"
  | "ITEM_INCOMPLETE";

const JSON_ONCE = "Send the call again with arguments that are exactly one JSON object.";
const CUT =
  "The call was cut off before its end. Send it again whole; if it is long, split it into smaller calls.";
const SMALLER = "Send less at once: split the work into several smaller calls.";
const AGAIN = "Nothing is wrong with the arguments. Send the call again if it is still needed.";
const ONE_CALL = "Send the call again, once, with a call id of its own.";
const NOT_HERE =
  "This can't be helped by another call of this tool. Go on without it, or say what is missing.";

/** What the model may do instead, for each class that can refuse a call or make it fail. */
export const CALL_ADVICE = {
  // json
  JSON_BAD_ESCAPE: `${JSON_ONCE} In a string, a backslash begins one of JSON's own escapes; write \\\\ for the character itself.`,
  JSON_CONTROL_CHARACTER: `${JSON_ONCE} Inside a string write line ends and tabs as \\n and \\t.`,
  JSON_DUPLICATE_KEY: `${JSON_ONCE} Name each key once.`,
  JSON_EMPTY: JSON_ONCE,
  JSON_FORBIDDEN_KEY: `${JSON_ONCE} Leave out keys that the tool's schema doesn't name.`,
  JSON_LONE_SURROGATE: `${JSON_ONCE} A \\u escape above U+FFFF takes two halves; write the character itself.`,
  JSON_NUMBER_NOT_FINITE: `${JSON_ONCE} Write numbers that a double can hold.`,
  JSON_NUMBER_UNSAFE: `${JSON_ONCE} Write whole numbers up to 9007199254740991, and no others that lose digits.`,
  JSON_SYNTAX: JSON_ONCE,
  JSON_TOO_DEEP: `${JSON_ONCE} Nest less deeply.`,
  JSON_TOO_LARGE: SMALLER,
  JSON_TOP_LEVEL: JSON_ONCE,
  JSON_TRAILING_DATA: `${JSON_ONCE} Nothing may follow it.`,
  JSON_TRUNCATED: CUT,
  // wire and terminal
  ARGUMENTS_MISMATCH: AGAIN,
  ARGUMENTS_TOO_LARGE: SMALLER,
  BAD_UTF8: "The arguments held bytes that are no text. Send the call again with plain text.",
  CANCELLED:
    "The run was ended while the call waited. Send it again only if the work goes on and still needs it.",
  EVENT_ORDER: AGAIN,
  IDENTITY_CONFLICT: ONE_CALL,
  ITEM_INCOMPLETE: CUT,
  // verdict
  CALL_ID_REUSED: ONE_CALL,
  RESPONSE_NOT_EXECUTABLE: AGAIN,
  SCHEMA_VIOLATION: "Correct the arguments at the place that `detail` names, and send the call again.",
  TOOL_DRIFT: NOT_HERE,
  TOOL_UNKNOWN: "Call only the tools that the request offers, by their exact names.",
  // policy
  APPROVAL_DENIED:
    "A person looked at this call and said no; `detail` is their reason. Don't send it again; reach the goal in a way that answers it, or say why there is none.",
  APPROVAL_REMOVED:
    "The people who had to approve it took the question away. Don't send it again; go on without it, or say why it is needed.",
  APPROVAL_NOT_ASKED: NOT_HERE,
  APPROVAL_EXPIRED:
    "A person had to approve it and nobody did in time. Go on without it, or say why it is needed.",
  POLICY_FORBIDDEN:
    "Don't send this call again. Reach the goal in a way that the rule allows, or say why there is none.",
  POLICY_QUARANTINED:
    "It is set aside where people can look at it, and will not run. Don't send it again; go on without it.",
  PROVISIONAL_DROPPED: AGAIN,
  SIBLING_REFUSED:
    "The calls of a turn run together or not at all here. Send it again without the calls that were refused.",
  ROUTE_UNVERIFIED: NOT_HERE,
  // execution
  APPROVAL_INVALID: AGAIN,
  CLAIM_LOST: AGAIN,
  COMMAND_NOT_FOUND: "Use a program that is there, or another tool.",
  DISK_FULL: NOT_HERE,
  DURABILITY_UNAVAILABLE: NOT_HERE,
  GRANT_EXPIRED: AGAIN,
  GRANT_INVALID: AGAIN,
  KEY_REUSED: AGAIN,
  KILL_SWITCH: "A person has stopped this. Don't send the call again; say what is left to do.",
  NOT_EXECUTED: AGAIN,
  OUTCOME_UNKNOWN:
    "Nobody knows whether it ran: it may have had its effect. Look at the workspace before anything else; don't repeat the call unseen.",
  OUTPUT_LIMIT: "Ask for less output: narrow the command or the range.",
  PATCH_REFUSED: "Read the files as they are now, and send one unified diff that fits them.",
  PATH_REFUSED: "Use a path inside the workspace, relative to its root, that is not a protected place.",
  POLICY_CHANGED:
    "Don't send this call again. Reach the goal in a way that policy allows, or say why there is none.",
  PUSH_UNAVAILABLE: "Leave the commit where it is, and say that it waits to be pushed.",
  QUOTA_EXCEEDED:
    "The workspace is over its quota. Remove files first, with delete_file or with the command rm; then send the call again.",
  REPEATED_EFFECT:
    "The same call has had its effect before, or may have had it. Look at what it left before anything else; don't repeat it.",
  SANDBOX_FAILED: AGAIN,
  SANDBOX_UNAVAILABLE: NOT_HERE,
  TOOL_FAILED: "Read what the tool said, change the arguments accordingly, and try again.",
  TOOL_TIMEOUT: "Do less in one call, or pass a narrower command.",
  TOO_OLD: AGAIN,
  WORKSPACE_FAILED: NOT_HERE,
  WORKSPACE_FROZEN:
    "Nobody knows yet what an earlier call did to the workspace, and a person has to find out. Nothing may change it until then: only read, or say what is left to do.",
  WORKSPACE_STALE: AGAIN,
} as const satisfies Record<CallClass, string>;

export function callAdvice(errorClass: ErrorClass): string | null {
  const advice: Partial<Record<ErrorClass, string>> = CALL_ADVICE;
  return advice[errorClass] ?? null;
}
