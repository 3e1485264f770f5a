import { expect, test } from "vitest";
import type { ApprovalDocument } from "@airlock/operator/document";
import { approvalText } from "../../src/view/index.ts";
import { paper } from "./screen.ts";

const ASKED: ApprovalDocument = {
  itemKey: "r1.1.1.0",
  run: "r1",
  tool: "hosted:shop/refund",
  effect: "mutating",
  risk: "high",
  quorum: 1,
  approvals: [],
  requestedBy: "ci",
  askedAt: "2026-01-01T00:00:00.000Z",
  expiresAt: "2026-01-01T00:10:00.000Z",
  reason: null,
  rule: "refunds",
  labels: {},
  evidence: {
    arguments: { order: 7 },
    shown: { kind: "json" },
    claims: null,
    siblings: [],
    treeChanged: null,
    nonce: "n",
    argumentsDigest: "a",
    policyDigest: "p",
  },
};
const HOSTED = { server: "shop\u001b[2J", name: "refund", runs: "provider" } as const;
const LINE =
  "  run by        the model's provider (refund of its server shop): Airlock's sandbox and limits hold nothing there";

test.each<[string, ApprovalDocument["evidence"], string | undefined, string]>([
  [
    "a tool that a provider hosts is run there",
    { ...ASKED.evidence, hosted: HOSTED },
    LINE,
    "its provider would run",
  ],
  ["a tool of Airlock's own is run by none but Airlock", ASKED.evidence, undefined, "it would run"],
])("%s, and an approver is told so", (_, evidence, runBy, would) => {
  const lines = approvalText(paper(), { ...ASKED, evidence }, Date.parse(ASKED.askedAt)).split("\n");
  expect(lines.find((line) => line.includes("run by"))).toBe(runBy);
  expect(lines).toContain(would);
});
