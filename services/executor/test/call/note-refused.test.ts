import type { LogEvent, LogFields, LogLevel } from "@airlock/core/runtime";
import { expect, test } from "vitest";
import { noteRefused } from "../../src/call/note-refused.ts";

const GRANT = { itemKey: "r0123456789abcdefghjk.1.1.0", tool: "write_file", argumentsDigest: "a".repeat(64) };

test.each([
  ["key_reused", "error", "key_reused", "KEY_REUSED"],
  ["too_old", "warn", "call_refused", "TOO_OLD"],
  ["no_call", "warn", "call_refused", null],
  ["superseded", "warn", "call_refused", null],
] as const)("a grant refused as %s is counted, and told as %s %s", (reason, level, event, errorClass) => {
  const counted: unknown[] = [];
  const written: unknown[] = [];
  const ends = noteRefused(
    {
      metrics: { count: (...told) => counted.push(told) },
      log: {
        write: (level: LogLevel, event: LogEvent, fields?: LogFields) => written.push([level, event, fields]),
        decision: () => undefined,
      },
    },
    GRANT,
    reason,
  );
  expect(ends).toBe(errorClass);
  expect(counted).toEqual([["airlock_claims_refused_total", { reason }]]);
  expect(written).toEqual([[level, event, expect.objectContaining({ itemKey: GRANT.itemKey, errorClass })]]);
});
