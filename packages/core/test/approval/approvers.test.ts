import { approverField, parseApprovers, withApprovers } from "@airlock/core/approval";
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
    ["a name twice, but for what nobody sees", [bea, { ...cy, name: "be\u200Ba" }], "stands here twice"],
    ["one key in two names", [bea, { ...cy, publicKey: bea.publicKey }], "stands here twice"],
    [
      "one key in two names, written in another way",
      [bea, { ...cy, publicKey: bea.publicKey.replaceAll("\n", "\r\n") }],
      "stands here twice",
    ],
    ["a private key", [{ ...bea, publicKey: keyrings.approver.signing.privateKey }], "Ed25519 public key"],
    ["an unknown key", [{ ...bea, roles: [] }], 'unknown key "roles"'],
    ["no name", [{ ...bea, name: "" }], "name"],
  ])("with %s is refused, at its place", (_, approvers, message) => {
    expect(() => parse(approvers)).toThrow(message);
    expect(() => parse(approvers)).toThrow("approvers.yaml:1:");
  });
});

test.each([
  ["case", "Ana", "aNA"],
  ["width", "\uFF21na", "Ana"],
  ["outer blanks", " ana\t", "ana"],
  ["inner blanks", "ana\u00A0\u2003b", "ana b"],
  ["a zero-width space", "a\u200Bna", "ana"],
  ["a mark of direction", "\u202Eana\u202C", "ana"],
  ["a variation selector", "ana\uFE0F", "ana"],
  ["a composed letter", "Ange\u0301le", "Ang\u00E9le"],
  [
    "a final sigma",
    "\u03A3\u03AF\u03C3\u03C5\u03C6\u03BF\u03C2",
    "\u03C3\u03AF\u03C3\u03C5\u03C6\u03BF\u03C3",
  ],
  ["a sharp s", "Wei\u00DF", "WEISS"],
])("names that differ in %s only are one person's", (_, one, other) => {
  expect(approverField(one)).toBe(approverField(other));
  expect(approverField(approverField(one))).toBe(approverField(one));
});

test("names of two people stay two people's", () => {
  expect(new Set(["ana", "bea", "ana b", "anab", "an"].map(approverField)).size).toBe(5);
});
