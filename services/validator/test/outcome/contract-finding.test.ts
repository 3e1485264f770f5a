import { describe, expect, test } from "vitest";
import type { ResponseBody } from "@airlock/core/contract";
import { ERROR_CLASSES, namesOf, type ErrorClass } from "@airlock/core/fault";
import { contractFinding, isMismatch } from "../../src/outcome/contract-finding.ts";

function findingOf(kind: ResponseBody["outcome"]["kind"], errorClass: ErrorClass | null) {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the fields that the finding depends on
  return contractFinding({ outcome: { kind, action: null }, errorClass } as ResponseBody);
}

describe("what a response shows of its route's contract", () => {
  test("is a mismatch for exactly these classes", () => {
    expect(namesOf(ERROR_CLASSES).filter((name) => isMismatch(name))).toEqual([
      "JSON_TRUNCATED",
      "BAD_CONTENT_TYPE",
      "BAD_UTF8",
      "ARGUMENTS_MISMATCH",
      "CALLS_ABSENT",
      "EMPTY_STREAM",
      "EVENT_AFTER_FINISH",
      "EVENT_ORDER",
      "IDENTITY_CONFLICT",
      "ITEM_INCOMPLETE",
      "RESTATED_MISMATCH",
      "SIGNAL_CONFLICT",
      "SIGNAL_FOREIGN",
      "SIGNAL_UNFINISHED",
      "SIGNAL_UNKNOWN",
      "SIGNAL_UNREQUESTED",
      "SIGNAL_UNSPECIFIED",
      "STOP_SEQUENCE_UNKNOWN",
      "STREAM_MALFORMED",
    ]);
  });

  test.each<[ResponseBody["outcome"]["kind"], ErrorClass | null, string]>([
    ["candidate_complete", null, "kept"],
    ["action_required", null, "kept"],
    ["policy_stop", null, "kept"],
    ["truncated", null, "kept"],
    ["truncated", "USAGE_AT_CAP", "kept"],
    ["indeterminate", "EVENT_ORDER", "broken"],
    ["indeterminate", "STREAM_RESET", "unknown"],
    ["indeterminate", "HTTP_ERROR", "unknown"],
    ["indeterminate", "PROVIDER_ERROR", "unknown"],
    ["indeterminate", "PROVIDER_STOPPED", "unknown"],
    ["indeterminate", "STREAM_MALFORMED", "broken"],
    ["truncated", "CONTEXT_FULL", "kept"],
    ["indeterminate", "STREAMER_LOST", "unknown"],
    ["indeterminate", "ADAPTER_MISMATCH", "unknown"],
    ["indeterminate", null, "unknown"],
  ])("%s with %s: %s", (kind, errorClass, expected) => {
    expect(findingOf(kind, errorClass)).toBe(expected);
  });
});
