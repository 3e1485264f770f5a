import { describe, expect, test } from "vitest";
import { parseStrictJson } from "@airlock/core/json";
import {
  BUILTIN_MANIFESTS,
  createCatalog,
  manifestDigest,
  schemaText,
  type ToolManifest,
} from "@airlock/core/tool";

const [readFile] = BUILTIN_MANIFESTS;

function variant(change: Partial<ToolManifest>): ToolManifest {
  if (readFile === undefined) throw new Error("no built-in tools");
  return { ...readFile, ...change };
}

describe("the catalog", () => {
  test("holds the built-in tools in order", () => {
    const catalog = createCatalog(BUILTIN_MANIFESTS);
    expect(catalog.names().map((name) => [name, catalog.get(name)?.effect])).toEqual([
      ["read_file", "read"],
      ["list_files", "read"],
      ["search_files", "read"],
      ["write_file", "mutating"],
      ["edit_file", "mutating"],
      ["delete_file", "mutating"],
      ["move_file", "mutating"],
      ["apply_patch", "mutating"],
      ["run_command", "mutating"],
      ["git_status", "read"],
      ["git_diff", "read"],
      ["git_log", "read"],
      ["git_commit", "mutating"],
      ["git_push", "mutating"],
    ]);
  });

  test.each(["__proto__", "constructor", "toString", "READ_FILE", "read_file ", ""])(
    "does not know %j",
    (name) => {
      expect(createCatalog(BUILTIN_MANIFESTS).get(name)).toBeUndefined();
    },
  );

  test.each(["__proto__", "a b", "", "1st", "é", "a".repeat(65)])("refuses the name %j", (name) => {
    expect(() => createCatalog([variant({ name })])).toThrow(/is no tool name/);
  });

  test("refuses one name twice", () => {
    expect(() => createCatalog([variant({}), variant({ effect: "mutating" })])).toThrow(/registered twice/);
  });
});

describe("a manifest", () => {
  test.each(BUILTIN_MANIFESTS.map((manifest) => [manifest.name, manifest] as const))(
    "%s sends the schema that it enforces",
    (_name, manifest) => {
      const sent = parseStrictJson(schemaText(manifest), {
        maxBytes: 65_536,
        maxDepth: 64,
        topLevel: "object",
      });
      expect(sent).toEqual({ ok: true, value: manifest.inputSchema });
    },
  );

  test.each<[string, Partial<ToolManifest>]>([
    ["description", { description: "x" }],
    ["schema", { inputSchema: { type: "object", additionalProperties: false } }],
    ["effect", { effect: "mutating" }],
    ["claims", { claims: { reads: [], writes: [], patches: [], workspace: "none" } }],
    ["limits", { limits: { timeoutMs: 1, outputBytes: 1, argumentBytes: 1 } }],
  ])("has another digest when its %s changes", (_name, change) => {
    expect(manifestDigest(variant(change))).not.toBe(manifestDigest(variant({})));
    expect(manifestDigest(variant({}))).toMatch(/^[0-9a-f]{64}$/);
  });
});
