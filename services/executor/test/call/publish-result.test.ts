import { expect, test } from "vitest";
import { ledgerEntrySchema } from "@airlock/core/ledger";
import { settledBody } from "../../src/call/publish-result.ts";

const ITEM = "r0123456789abcdefghjk.1.1.0";

function published(fields: Readonly<Record<string, string>>): unknown {
  const entry = {
    state: "DENIED",
    fence: "2",
    owner: "e",
    grant: "1",
    digest: "",
    tool: "write_file",
    effect: "mutating",
    leaseUntil: "0",
    status: "refused",
  };
  return settledBody(ITEM, ledgerEntrySchema.parse({ ...entry, ...fields }));
}

const denied = {
  version: 1,
  run: "r0123456789abcdefghjk",
  itemKey: ITEM,
  grant: 1,
  fence: 2,
  kind: "settled",
  state: "DENIED",
  status: "refused",
  contentDigest: null,
  resultBytes: 0,
  durationMs: 0,
};

test("a denial is published with the reason that its executor kept", () => {
  expect(published({ errorClass: "POLICY_CHANGED", detail: "the tree is frozen" })).toEqual({
    ...denied,
    errorClass: "POLICY_CHANGED",
    detail: "the tree is frozen",
  });
});

test("a denial without one is published without one", () => {
  expect(published({ errorClass: "SANDBOX_UNAVAILABLE" })).toEqual({
    ...denied,
    errorClass: "SANDBOX_UNAVAILABLE",
  });
});

test.each(["STARTED", "OUTCOME_UNKNOWN", "RECONCILING"])(
  "a call that is %s has nothing to publish",
  (state) => {
    expect(published({ state })).toBeNull();
  },
);

const unknown = { ...denied, state: "OUTCOME_UNKNOWN", status: "unknown", errorClass: "OUTCOME_UNKNOWN" };

test("a call that only a person can tell about is published as unknown", () => {
  expect(published({ state: "NEEDS_HUMAN", status: "unknown" })).toEqual(unknown);
});

test.each(["EXECUTED", "NOT_EXECUTED"])("one that a person found %s stays published as unknown", (state) => {
  const resolution = JSON.stringify({ finding: "executed", by: "ana", reason: "seen" });
  expect(published({ state, status: "ok", contentDigest: "0f", resolution })).toEqual(unknown);
});

test("one that was shown not to have run is published so", () => {
  expect(published({ state: "NOT_EXECUTED", errorClass: "NOT_EXECUTED" })).toEqual({
    ...denied,
    state: "NOT_EXECUTED",
    errorClass: "NOT_EXECUTED",
  });
});
