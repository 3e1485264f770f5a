import { describe, expect, test } from "vitest";
import type { JsonObject } from "@airlock/core/json";
import { evaluateInView, evaluatePolicy, loadPolicy, type WorkspaceView } from "@airlock/core/policy";
import { call } from "./call.ts";
import { policyText } from "./policy-text.ts";

const policy = loadPolicy({
  name: "p.yaml",
  text: policyText(
    [
      "{ id: read, decision: allow, tool: read_file }",
      "{ id: write, decision: allow, tool: write_file }",
      "{ id: test, decision: allow, tool: run_command, command: { exe: node, flags: { require: [--test] }, positionals: { allow: ['test/**'] } } }",
    ],
    [
      'paths: { read: { allow: ["**"], forbid: [secret, .git] }, write: { allow: ["src/**", "test/**"], forbid: [.git] } }',
    ],
  ),
});

const LINKS: Readonly<Record<string, string>> = {
  "src/hooks": "../.git/hooks",
  "src/out": "../../outside",
  "src/absolute": "/etc",
  "src/inner": "lib",
  "src/loop": "loop",
  "src/twice": "hooks",
  "test/x.js": "../secret/x.js",
  "test/fine.js": "other.js",
  "test/away.js": "/tmp/away.js",
};

const view: WorkspaceView = (components) => {
  const target = LINKS[components.join("/")];
  return Promise.resolve(target === undefined ? { kind: "other" } : { kind: "link", target });
};

async function decided(tool: string, args: JsonObject): Promise<string> {
  const { decision, winning } = await evaluateInView(policy, call(tool, args), view);
  return `${decision} by ${winning}`;
}

describe("a decision with a view of the workspace", () => {
  test.each<[string, string, JsonObject, string]>([
    ["a plain path", "write_file", { path: "src/a", content: "" }, "allow by write"],
    ["a link to an allowed place", "write_file", { path: "src/inner/a", content: "" }, "allow by write"],
    [
      "a parent that leads to a forbidden place",
      "write_file",
      { path: "src/hooks/x", content: "" },
      "forbid by paths.write",
    ],
    ["a link to such a link", "write_file", { path: "src/twice/x", content: "" }, "forbid by paths.write"],
    ["a parent that leads out", "write_file", { path: "src/out/x", content: "" }, "forbid by paths.write"],
    [
      "a parent that leads to a host path",
      "write_file",
      { path: "src/absolute/x", content: "" },
      "forbid by paths.write",
    ],
    ["a link to itself", "write_file", { path: "src/loop/x", content: "" }, "forbid by paths.write"],
    ["a link that is read", "read_file", { path: "test/x.js" }, "forbid by paths.read"],
    ["a command's plain word", "run_command", { argv: ["node", "--test", "test/a.js"] }, "allow by test"],
    [
      "a command's link to an allowed place",
      "run_command",
      { argv: ["node", "--test", "test/fine.js"] },
      "allow by test",
    ],
    [
      "a command's link to another place",
      "run_command",
      { argv: ["node", "--test", "test/x.js"] },
      "forbid by no-match",
    ],
    [
      "a command's link that leads out",
      "run_command",
      { argv: ["node", "--test", "test/away.js"] },
      "forbid by no-match",
    ],
    [
      "a folder that leads out",
      "run_command",
      { argv: ["node", "--test"], cwd: "src/out" },
      "forbid by no-match",
    ],
  ])("%s", async (_name, tool, args, expected) => {
    expect(await decided(tool, args)).toBe(expected);
  });

  test("is never milder than without", async () => {
    const paths = ["src/a", "src/hooks/x", "src/inner/x", "secret", "../x", "test/x.js", "src/loop"];
    for (const path of paths) {
      for (const request of [call("read_file", { path }), call("write_file", { path, content: "" })]) {
        const plain = evaluatePolicy(policy, request).decision;
        const seen = (await evaluateInView(policy, request, view)).decision;
        expect(plain === "allow" || seen === plain).toBe(true);
      }
    }
  });

  test("is forbid where the view fails", async () => {
    const failing: WorkspaceView = () => Promise.reject(new Error("canary"));
    const decision = await evaluateInView(policy, call("read_file", { path: "a" }), failing);
    expect([decision.decision, decision.winning]).toEqual(["forbid", "evaluator-error"]);
  });
});
