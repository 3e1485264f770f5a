import { describe, expect, test } from "vitest";
import * as fc from "fast-check";
import { AirlockError } from "@airlock/core/fault";
import type { JsonObject } from "@airlock/core/json";
import { BUILTIN_MANIFESTS, createCatalog, type ToolManifest } from "@airlock/core/tool";
import { compileSchema, createJudge, type JudgedCall, type Verdict } from "@airlock/core/verdict";

const catalog = createCatalog(BUILTIN_MANIFESTS);
const judge = createJudge(catalog);
const everyTool = new Set(catalog.names());

function verdictOn(call: Partial<JudgedCall>): Verdict {
  return judge.judge({
    name: "read_file",
    argumentsKind: "json",
    content: "{}",
    allowedTools: everyTool,
    ...call,
  });
}

function withSchema(inputSchema: JsonObject): readonly ToolManifest[] {
  return BUILTIN_MANIFESTS.slice(0, 1).map((manifest) => ({ ...manifest, inputSchema }));
}

describe("the judge accepts", () => {
  test.each<[string, string, JsonObject]>([
    ["read_file", '{"path":"a.ts","startLine":1}', { path: "a.ts", startLine: 1 }],
    ["list_files", '{"path":"."}', { path: "." }],
    ["write_file", '{"path":"a","content":""}', { path: "a", content: "" }],
    ["apply_patch", '{"patch":"x"}', { patch: "x" }],
    ["run_command", '{"argv":["ls","-l"],"cwd":"src"}', { argv: ["ls", "-l"], cwd: "src" }],
  ])("%s with %s", (name, content, args) => {
    expect(verdictOn({ name, content })).toEqual({ status: "SCHEMA_VALID", arguments: args });
  });
});

describe("the judge quarantines", () => {
  test.each<[Partial<JudgedCall>, string, string]>([
    [{ name: null }, "TOOL_UNKNOWN", "the run has no tool of this name"],
    [{ name: "" }, "TOOL_UNKNOWN", "the run has no tool of this name"],
    [{ name: "rm" }, "TOOL_UNKNOWN", "the run has no tool of this name"],
    [
      { name: "__proto__", allowedTools: new Set(["__proto__"]) },
      "TOOL_UNKNOWN",
      "the run has no tool of this name",
    ],
    [{ allowedTools: new Set(["write_file"]) }, "TOOL_UNKNOWN", "the run has no tool of this name"],
    [
      { argumentsKind: "text", content: '{"path":"a"}' },
      "SCHEMA_VIOLATION",
      "the schema refuses at the top level (type: must be object)",
    ],
    [
      { argumentsKind: null, content: '{"path":"a"}' },
      "SCHEMA_VIOLATION",
      "the call carries no arguments of a known kind",
    ],
    [
      { content: "" },
      "SCHEMA_VIOLATION",
      "the schema refuses at the top level (required: must have required property 'path')",
    ],
    [{ content: '{"path":7}' }, "SCHEMA_VIOLATION", "the schema refuses at /path (type: must be string)"],
    [{ content: " \n" }, "JSON_EMPTY", "at offset 0"],
    [
      { content: '{"path":"a","startLine":"1"}' },
      "SCHEMA_VIOLATION",
      "the schema refuses at /startLine (type: must be integer)",
    ],
    [
      { content: '{"path":"a","canary":1}' },
      "SCHEMA_VIOLATION",
      "the schema refuses at the top level (additionalProperties: must NOT have additional properties: only endLine, path, startLine)",
    ],
    [
      { name: "run_command", content: '{"argv":[]}' },
      "SCHEMA_VIOLATION",
      "the schema refuses at /argv (minItems: must NOT have fewer than 1 items)",
    ],
    [{ content: '{"path":"a"' }, "JSON_TRUNCATED", "at offset 11"],
    [{ content: '{"path":"a"}}' }, "JSON_TRAILING_DATA", "at offset 12"],
    [{ content: '{"path":"a","path":"b"}' }, "JSON_DUPLICATE_KEY", "at offset 12"],
    [{ content: '"{\\"path\\":\\"a\\"}"' }, "JSON_TOP_LEVEL", "at offset 0"],
    [{ content: `{"path":"${"a".repeat(1_048_576)}"}` }, "JSON_TOO_LARGE", "at offset 0"],
    [{ content: `{"path":${"[".repeat(65)}` }, "JSON_TOO_DEEP", "at offset 71"],
  ])("%j", (call, errorClass, detail) => {
    expect(verdictOn(call)).toEqual({ status: "QUARANTINED", errorClass, detail });
  });

  test("every cut of a valid call, whatever it holds", () => {
    fc.assert(
      fc.property(fc.string(), fc.string({ minLength: 1 }), fc.nat(), (content, path, seed) => {
        const text = JSON.stringify({ path, content });
        const cut = text.slice(0, seed % text.length);
        expect(verdictOn({ name: "write_file", content: cut }).status).toBe("QUARANTINED");
      }),
    );
  });

  test("without showing a value of the arguments", () => {
    fc.assert(
      fc.property(fc.constantFrom(...catalog.names()), fc.jsonValue(), (name, value) => {
        const verdict = verdictOn({
          name,
          content: JSON.stringify({ canary7f3a: value, path: "canary7f3a" }),
        });
        expect(JSON.stringify({ ...verdict, arguments: null })).not.toContain("canary7f3a");
      }),
    );
  });
});

describe("a judge can't be made for", () => {
  test.each<[string, JsonObject, RegExp]>([
    ["an open object", { type: "object", properties: {} }, /open at #;/],
    [
      "an open object inside",
      {
        type: "object",
        additionalProperties: false,
        properties: { a: { type: "array", items: { type: "object" } } },
      },
      /open at #\/properties\/a\/items;/,
    ],
    [
      "a value of any type",
      { type: "object", additionalProperties: false, properties: { a: {} } },
      /open at #\/properties\/a;/,
    ],
    [
      "an array of anything",
      { type: "object", additionalProperties: false, properties: { a: { type: "array" } } },
      /open at #\/properties\/a;/,
    ],
    ["a schema that is no object's", { type: "string" }, /open at #;/],
    [
      "an asynchronous schema",
      { $async: true, type: "object", additionalProperties: false },
      /unknown keyword "\$async"/,
    ],
    ["an unknown keyword", { type: "object", additionalProperties: false, requires: [] }, /unknown keyword/],
    [
      "an unknown format",
      { type: "object", additionalProperties: false, properties: { a: { type: "string", format: "path" } } },
      /unknown format/,
    ],
  ])("%s", (_name, schema, message) => {
    const make = (): unknown => createJudge(createCatalog(withSchema(schema)));
    expect(make).toThrow(AirlockError);
    expect(make).toThrow(message);
  });

  test("a schema alone accepts nothing where it is asynchronous", () => {
    const check = compileSchema({ $async: true, type: "object", additionalProperties: false });
    expect(check({})).not.toBeNull();
  });
});
