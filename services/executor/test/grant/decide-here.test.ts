import { expect, test } from "vitest";
import type { ExecutionBody } from "@airlock/core/contract";
import { loadPolicy } from "@airlock/core/policy";
import { BUILTIN_MANIFESTS, createCatalog } from "@airlock/core/tool";
import { decideHere } from "../../src/grant/decide-here.ts";

const manifest = createCatalog(BUILTIN_MANIFESTS).get("write_file");
const grant: ExecutionBody = {
  version: 1,
  run: "r0123456789abcdefghjk",
  itemKey: "r0123456789abcdefghjk.1.1.0",
  grant: 1,
  tool: "write_file",
  manifestDigest: "",
  effect: "mutating",
  argumentsDigest: "",
  policy: "p",
  policyDigest: "",
  workspace: { source: "/srv/app", ref: "main" },
  pool: "default",
  expiresAt: 1,
  notAfter: 2,
};

/** What the executor answers where its policy has one rule, and the grant the digest of that policy, or another. */
async function answered(rule: string, sameDigest = true): Promise<unknown> {
  if (manifest === undefined) throw new Error("no tool write_file");
  const text = `apiVersion: airlock.policy/v1\nmode: enforce\npaths: { write: { allow: ["src/**"] } }\nrules: [${rule}]\n`;
  const enforced = loadPolicy({ name: "p.yaml", text });
  const policies = new Map([["p", { enforced, shadow: null }]]);
  const granted = { ...grant, policyDigest: sameDigest ? enforced.digest : "" };
  return decideHere({ policies }, granted, { manifest, args: { path: "src/a.js", content: "" }, view: null });
}

const refusal = { ok: false, errorClass: "POLICY_CHANGED" } as const;

test.each<[string, string, boolean, unknown]>([
  ["a grant that its policy allows holds", "{ id: w, decision: allow, tool: write_file }", true, null],
  [
    "what a rule forbids is refused with the reason, for the model to hear",
    "{ id: w, decision: forbid, tool: write_file, reason: the tree is frozen }",
    true,
    { ...refusal, detail: "the tree is frozen", tellable: true },
  ],
  [
    "what a private rule forbids is refused without its reason",
    "{ id: w, decision: forbid, tool: write_file, reason: canary, private: true }",
    true,
    { ...refusal, detail: "the reason is private", tellable: true },
  ],
  [
    "a grant under another version of the policy goes back",
    "{ id: w, decision: allow, tool: write_file }",
    false,
    { ...refusal, detail: "the executor has another version of the policy", regrant: true },
  ],
])("%s", async (_, rule, sameDigest, expected) => {
  expect(await answered(rule, sameDigest)).toEqual(expected);
});
