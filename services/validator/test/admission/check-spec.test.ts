import path from "node:path";
import { describe, expect, test } from "vitest";
import { parseRoutes, parseRunSpec } from "@airlock/core/run";
import { loadPolicyProfiles } from "@airlock/core/runtime";
import { BUILTIN_MANIFESTS, createCatalog, manifestDigest } from "@airlock/core/tool";
import { checkSpec, type Known } from "../../src/admission/check-spec.ts";

const catalog = createCatalog(BUILTIN_MANIFESTS);
const known: Known = {
  routes: parseRoutes(
    `routes:
  gateway: { family: responses, baseUrl: 'http://127.0.0.1:1', models: ['replay/**'] }
  chat: { family: chat, baseUrl: 'http://127.0.0.1:1', models: ['replay/**'] }
  anthropic: { family: anthropic, baseUrl: 'http://127.0.0.1:1', models: ['replay/**'] }`,
    "routes.yaml",
  ),
  catalog,
  policies: loadPolicyProfiles(path.resolve(import.meta.dirname, "../../../../config/policies")),
  sources: ["/srv/repos"],
  rawMs: 86_400_000,
};
const least = {
  route: "gateway",
  model: "replay/a",
  instructions: "",
  input: "go",
  policy: "ci-default",
  workspace: { source: "/srv/repos/app", ref: "main" },
};
const DIGEST = "0".repeat(64);

function check(change: Readonly<Record<string, unknown>>) {
  return checkSpec(parseRunSpec({ ...least, ...change }, "test"), DIGEST, known);
}

describe("a spec that can be served", () => {
  test("gives a plan that pins tools by digest and everything else by value", () => {
    const change = { tools: ["read_file", "run_command"], parallel: "off", priority: 9, allOrNothing: true };
    const digestOf = (name: string): string => {
      const manifest = catalog.get(name);
      return manifest === undefined ? "" : manifestDigest(manifest);
    };
    expect(check(change)).toEqual({
      ok: true,
      plan: {
        tools: [
          { name: "read_file", digest: digestOf("read_file"), effect: "read" },
          { name: "run_command", digest: digestOf("run_command"), effect: "mutating" },
        ],
        limits: parseRunSpec(least, "test").limits,
        expectKind: "text",
        onTruncated: "larger_budget",
        stopSequences: 0,
        rawMs: 86_400_000,
        parallel: "off",
        allOrNothing: true,
        workspace: least.workspace,
        specDigest: DIGEST,
        contract: null,
        priority: 9,
      },
    });
  });

  test("keeps what it says of sampling", () => {
    expect(check({ temperature: 0.2, topP: 0 })).toMatchObject({
      ok: true,
      plan: { temperature: 0.2, topP: 0 },
    });
  });

  test("may have stop sequences that its family can keep to, of which the plan holds only how many", () => {
    const stopSequences = [{ sequence: "END", meaning: "complete" }];
    expect(check({ route: "chat", stopSequences })).toMatchObject({ ok: true, plan: { stopSequences: 1 } });
    const cutting = [...stopSequences, { sequence: "CUT", meaning: "truncated" }];
    expect(check({ route: "anthropic", stopSequences: cutting })).toMatchObject({
      ok: true,
      plan: { stopSequences: 2 },
    });
  });

  test("needs no workspace where it has no tools, or only plays a contract", () => {
    expect(check({ workspace: undefined })).toMatchObject({ ok: true, plan: { workspace: null } });
    const contract = { workspace: undefined, tools: ["read_file"], contract: "tool_call" };
    expect(check(contract)).toMatchObject({ ok: true, plan: { contract: "tool_call" } });
  });
});

describe("a spec is refused that", () => {
  test.each<[string, Record<string, unknown>, string]>([
    ["names an unknown route", { route: "live" }, 'route "live" is none of: gateway'],
    ["names a route by a prototype's name", { route: "__proto__" }, 'route "__proto__" is none of: gateway'],
    [
      "names a model that the route doesn't take",
      { model: "x" },
      'route "gateway" takes no model "x", only replay/**',
    ],
    ["names an unknown tool", { tools: ["rm_rf"] }, 'tool "rm_rf" is none of: read_file, list_files'],
    ["names a tool twice", { tools: ["read_file", "read_file"] }, 'tool "read_file" is named twice'],
    ["names an unknown policy", { policy: "lax" }, 'policy "lax" is none of: ci-default, read-only'],
    [
      "has tools without a workspace",
      { tools: ["read_file"], workspace: undefined },
      "tools need a workspace",
    ],
    [
      "works on a source beside the allowed ones",
      { workspace: { source: "/srv/repos-evil", ref: "main" } },
      "AIRLOCK_SOURCES",
    ],
    [
      "climbs out of an allowed source",
      { workspace: { source: "/srv/repos/../x", ref: "main" } },
      "AIRLOCK_SOURCES",
    ],
    [
      "has a stop sequence that the family doesn't know",
      { stopSequences: [{ sequence: "END", meaning: "complete" }] },
      "no stop sequences",
    ],
    [
      "has a stop sequence that cuts, on a family that doesn't tell one stop from another",
      { route: "chat", stopSequences: [{ sequence: "END", meaning: "truncated" }] },
      "none can mean truncated",
    ],
    [
      "continues a cut output on a family that can't",
      { onTruncated: "continue" },
      "the responses family can't go on with a cut output",
    ],
    [
      "continues a cut output that is no text",
      {
        route: "anthropic",
        onTruncated: "continue",
        expect: { kind: "json", schema: { type: "object", additionalProperties: false } },
      },
      "onTruncated: continue is for text and report, not for json",
    ],
  ])("%s", (_, change, detail) => {
    expect(check(change)).toEqual({ ok: false, detail: expect.stringContaining(detail) });
  });

  test("has several faults, and all of them are told", () => {
    const found = check({ route: "live", policy: "lax", tools: ["rm_rf"], workspace: undefined });
    expect(found.ok ? [] : found.detail.split("; ")).toHaveLength(4);
  });

  test("quotes no more than 80 letters of what it was given", () => {
    const found = check({ model: `replay\n${"x".repeat(190)}` });
    expect(found.ok ? "" : found.detail).toMatch(/takes no model "replay\\nx{73}", only/);
  });
});
