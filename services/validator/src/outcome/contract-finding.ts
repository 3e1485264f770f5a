import type { ResponseBody } from "@airlock/core/contract";
import { ERROR_CLASSES, type ErrorClass } from "@airlock/core/fault";
import type { ContractFinding } from "@airlock/core/run";

/** Of the classes that say what a response contradicts, those that say nothing of the route. */
const NOT_THE_ROUTE: ReadonlySet<ErrorClass> = new Set([
  "ARGUMENTS_TOO_LARGE",
  "STREAMER_LOST",
  "TOO_MANY_ITEMS",
  "USAGE_AT_CAP",
]);

/** The classes of other stages that a route keeping its contract doesn't cause. */
const FURTHER: ReadonlySet<ErrorClass> = new Set(["BAD_CONTENT_TYPE", "BAD_UTF8", "JSON_TRUNCATED"]);

/** Whether a response kept its family's contract; broken connections and error statuses say nothing about that. */
export function contractFinding({ outcome, errorClass }: ResponseBody): ContractFinding {
  if (outcome.kind !== "indeterminate") return "kept";
  return errorClass !== null && isMismatch(errorClass) ? "broken" : "unknown";
}

export function isMismatch(errorClass: ErrorClass): boolean {
  if (FURTHER.has(errorClass)) return true;
  return ERROR_CLASSES[errorClass].stage === "terminal" && !NOT_THE_ROUTE.has(errorClass);
}
