import { judgeAnswers, type AnswersJudgement } from "@airlock/core/approval";
import type { ApprovalBody, AskBody } from "@airlock/core/contract";
import { createApproverKey, createKeyrings, newRunId, signRecord, type Keyring } from "@airlock/core/record";
import fc from "fast-check";
import { describe, expect, test } from "vitest";

const keyrings = createKeyrings();
const strangers = createKeyrings();
const own = createApproverKey("bea", keyrings.executor.trusted);
const keyring: Keyring = {
  ...keyrings.executor,
  trusted: {
    ...keyrings.executor.trusted,
    approver: [...keyrings.executor.trusted.approver, own.approver],
  },
};

const run = newRunId();
const ask: AskBody = {
  version: 1,
  run,
  itemKey: `${run}.1.1.0`,
  request: 1,
  tool: "git_push",
  effect: "mutating",
  argumentsDigest: "a".repeat(64),
  policyDigest: "b".repeat(64),
  nonce: "n".repeat(20),
  risk: "high",
  quorum: 1,
  requestedBy: "ada",
  askedAt: 1_000,
  expiresAt: 2_000,
};
const yes: ApprovalBody = {
  version: 1,
  run,
  itemKey: ask.itemKey,
  argumentsDigest: ask.argumentsDigest,
  policyDigest: ask.policyDigest,
  nonce: ask.nonce,
  expiresAt: ask.expiresAt,
  answer: "approve",
  approver: "bea",
  reason: "looked at it",
  answeredAt: 1_500,
};

function signed(change: Partial<ApprovalBody> = {}, by: Keyring = keyrings.approver): string {
  return JSON.stringify(signRecord(by, "approval", JSON.stringify({ ...yes, ...change })));
}

function judged(records: Readonly<Record<string, string>>, change: Partial<AskBody> = {}): AnswersJudgement {
  return judgeAnswers({ ask: { ...ask, ...change }, records, keyring });
}

const PENDING = { kind: "pending", missing: 1, approvers: [] };
const other = newRunId();

describe("the answers to a question", () => {
  test("approve once as many people have as it takes", () => {
    expect(judged({})).toEqual(PENDING);
    expect(judged({ bea: signed() })).toEqual({ kind: "approved", approvers: ["bea"] });
    expect(judged({ bea: signed() }, { quorum: 2 })).toEqual({
      kind: "pending",
      missing: 1,
      approvers: ["bea"],
    });
    const two = { bea: signed(), cy: signed({ approver: "cy" }) };
    expect(judged(two, { quorum: 2 })).toEqual({ kind: "approved", approvers: ["bea", "cy"] });
  });

  test("deny as soon as one person does, whoever else approves", () => {
    const no = signed({ approver: "cy", answer: "deny", reason: "not on a friday" });
    const denied = { kind: "denied", by: "cy", reason: "not on a friday" };
    expect(judged({ cy: no })).toEqual(denied);
    expect(judged({ bea: signed(), cy: no })).toEqual(denied);
  });

  test.each<[string, Partial<ApprovalBody>]>([
    ["another run", { run: other }],
    ["another item", { itemKey: `${run}.1.1.1` }],
    ["another attempt", { itemKey: `${run}.1.2.0` }],
    ["other arguments", { argumentsDigest: "c".repeat(64) }],
    ["another policy", { policyDigest: "c".repeat(64) }],
    ["an earlier question", { nonce: "m".repeat(20) }],
    ["another end", { expiresAt: 3_000 }],
    ["a time after the end", { answeredAt: 2_000 }],
  ])("count for nothing where one is for %s, be it yes or no", (_, change) => {
    expect(judged({ bea: signed(change) })).toEqual(PENDING);
    expect(judged({ bea: signed({ ...change, answer: "deny" }) })).toEqual(PENDING);
  });

  test.each(["ada", "Ada", " ada ", "ＡＤＡ"])(
    "of the requester count for nothing, also as %j",
    (approver) => {
      const field = approver.normalize("NFKC").trim().toLowerCase();
      expect(judged({ [field]: signed({ approver }) })).toEqual(PENDING);
    },
  );

  test("of one person count once, under whichever spelling and field", () => {
    const twice = { bea: signed(), Bea: signed({ approver: "Bea" }), cy: signed() };
    expect(judged(twice, { quorum: 2 })).toEqual({ kind: "pending", missing: 1, approvers: ["bea"] });
  });

  test("of a person's own key count in that name only", () => {
    expect(judged({ bea: signed({}, own.keyring) })).toEqual({ kind: "approved", approvers: ["bea"] });
    expect(judged({ cy: signed({ approver: "cy" }, own.keyring) })).toEqual(PENDING);
  });

  test.each(["client", "streamer", "validator", "executor", "console"] as const)(
    "are not the %s's to give",
    (role) => {
      const posing = { ...keyrings[role], role: "approver" } as const;
      expect(judged({ bea: signed({}, posing) })).toEqual(PENDING);
    },
  );

  test("of keys that nobody here knows count for nothing, nor does a key id that is borrowed", () => {
    expect(judged({ bea: signed({}, strangers.approver) })).toEqual(PENDING);
    const signing = { ...strangers.approver.signing, keyId: keyrings.approver.signing.keyId };
    expect(judged({ bea: signed({}, { ...strangers.approver, signing }) })).toEqual(PENDING);
  });

  test("count for nothing once a byte of them is another", () => {
    const text = signed();
    fc.assert(
      fc.property(fc.nat(text.length - 1), fc.integer({ min: 32, max: 126 }), (at, code) => {
        const forged = text.slice(0, at) + String.fromCharCode(code) + text.slice(at + 1);
        const { kind } = judged({ bea: forged });
        // base64url has spare bits in its last letter: such a text is the same signature
        const same = JSON.parse(text) as { signature: string };
        return kind === "pending" || forged === text || sameRecord(forged, same);
      }),
      { numRuns: 2_000 },
    );
  });

  test.each(["", "null", "[]", "{}", '"x"', "{"])("%j is no answer", (text) => {
    expect(judged({ bea: text })).toEqual(PENDING);
  });

  test("asked of another record's purpose they count for nothing", () => {
    const posing = JSON.stringify(signRecord(keyrings.validator, "ask", JSON.stringify(yes)));
    expect(judged({ bea: posing })).toEqual(PENDING);
  });
});

function sameRecord(text: string, original: { readonly signature: string }): boolean {
  const read = JSON.parse(text) as { signature: string };
  return Buffer.from(read.signature, "base64url").equals(Buffer.from(original.signature, "base64url"));
}
