import { parseApprovers, withApprovers } from "@airlock/core/approval";
import { createApproverKey, createKeyrings } from "@airlock/core/record";
import { describe, expect, test } from "vitest";

const keyrings = createKeyrings();
const { approver: bea } = createApproverKey("bea", keyrings.executor.trusted);
const { approver: cy } = createApproverKey("cy", keyrings.executor.trusted);

function parse(approvers: unknown): ReturnType<typeof parseApprovers> {
  return parseApprovers({ name: "approvers.yaml", text: JSON.stringify({ approvers }) });
}

describe("the approvers file", () => {
  test("names people with their keys, who are trusted beside the console's", () => {
    expect(parse([bea, cy])).toEqual([bea, cy]);
    const { approver } = withApprovers(keyrings.executor, [bea]).trusted;
    expect(approver).toEqual([...keyrings.executor.trusted.approver, bea]);
  });

  test("takes over no key id that is known already", () => {
    const [known] = keyrings.executor.trusted.approver;
    const posing = { ...bea, keyId: known?.keyId ?? "" };
    expect(withApprovers(keyrings.executor, [posing])).toEqual(keyrings.executor);
  });

  test.each<[string, unknown, string]>([
    ["a name twice, in whichever case", [bea, { ...cy, name: "Bea" }], "stands here twice"],
    ["a key id twice", [bea, { ...cy, keyId: bea.keyId }], "stands here twice"],
    ["a private key", [{ ...bea, publicKey: keyrings.approver.signing.privateKey }], "Ed25519 public key"],
    ["an unknown key", [{ ...bea, roles: [] }], 'unknown key "roles"'],
    ["no name", [{ ...bea, name: "" }], "name"],
  ])("with %s is refused, at its place", (_, approvers, message) => {
    expect(() => parse(approvers)).toThrow(message);
    expect(() => parse(approvers)).toThrow("approvers.yaml:1:");
  });
});
