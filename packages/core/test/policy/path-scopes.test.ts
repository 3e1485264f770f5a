import { expect, test } from "vitest";
import { loadPolicy, readScope, writeScope } from "@airlock/core/policy";
import { sha256Hex } from "@airlock/core/record";

const RULES = "rules: [{ id: write, decision: allow, tool: write_file }]";
const BASE = `apiVersion: airlock.policy/v1
mode: enforce
paths:
  read: { allow: ["src/**"], forbid: ["**/.env*"] }
  write: { allow: ["src/**", "test/**"], forbid: ["src/secret/**"] }
${RULES}
`;
const CHILD = `apiVersion: airlock.policy/v1
mode: enforce
extends: [{ path: base.yaml, sha256: "${sha256Hex(BASE)}" }]
paths: { write: { allow: ["src/**", "docs/**"], forbid: ["src/own/**"] } }
`;

const policy = loadPolicy(
  { name: "child.yaml", text: CHILD },
  { read: () => ({ name: "base.yaml", text: BASE }) },
);

test.each([
  ["src/a.ts", true],
  ["test/a.ts", false],
  ["docs/a.md", false],
  ["src/secret/a.ts", false],
  ["src/own/a.ts", false],
])("of a policy's files together, %s may be written: %s", (path, may) => {
  const { allows, forbids } = writeScope(policy);
  expect(allows(path) && !forbids(path)).toBe(may);
});

test.each([
  ["src/a.ts", true],
  ["docs/a.md", false],
  ["src/.env", false],
  ["SRC/.env", false],
])("of a policy's files together, %s may be read: %s", (path, may) => {
  const { allows, forbids } = readScope(policy);
  expect(allows(path) && !forbids(path)).toBe(may);
});
