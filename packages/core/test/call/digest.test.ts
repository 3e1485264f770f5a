import { expect, test } from "vitest";
import { argumentsDigest } from "@airlock/core/call";

const call = {
  tool: "write_file",
  manifestDigest: "a".repeat(64),
  arguments: { path: "a", content: "b" },
  workspace: { source: "/s", ref: "main" },
};

test("the digest does not depend on the order of keys", () => {
  const turned = { ...call, arguments: { content: "b", path: "a" } };
  expect(argumentsDigest(turned)).toBe(argumentsDigest(call));
});

test.each([
  ["the tool", { tool: "apply_patch" }],
  ["the manifest", { manifestDigest: "b".repeat(64) }],
  ["an argument's value", { arguments: { path: "a", content: "c" } }],
  ["an argument's name", { arguments: { path: "a", contents: "b" } }],
  ["a value's type", { arguments: { path: "a", content: ["b"] } }],
  ["the workspace's source", { workspace: { source: "/t", ref: "main" } }],
  ["the workspace's ref", { workspace: { source: "/s", ref: "dev" } }],
])("the digest depends on %s", (_, change) => {
  expect(argumentsDigest({ ...call, ...change })).not.toBe(argumentsDigest(call));
});
