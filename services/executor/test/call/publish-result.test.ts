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

test("a call that goes on has nothing to publish", () => {
  expect(published({ state: "STARTED" })).toBeNull();
});
