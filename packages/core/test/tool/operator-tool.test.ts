import { describe, expect, test } from "vitest";
import { AirlockError } from "@airlock/core/fault";
import { loadPolicy } from "@airlock/core/policy";
import {
  argumentClaims,
  BUILTIN_MANIFESTS,
  createCatalog,
  manifestDigest,
  operatorCatalog,
  readOperatorTool,
  type ToolManifest,
} from "@airlock/core/tool";

const COUNT = `apiVersion: airlock.tool/v1
name: count_lines
description: Counts the lines of a file.
inputSchema:
  type: object
  additionalProperties: false
  required: [path]
  properties:
    path: { type: string, description: The file. }
effect: read
claims: { reads: [path] }
limits: { timeoutMs: 5000 }
command: [count-lines, --json]
`;

/** The lines of the error, without the table's sentence; `[]` when all tools load. */
function problemsOf(...texts: readonly string[]): readonly string[] {
  try {
    operatorCatalog(texts.map((text, at) => readOperatorTool({ name: `${at + 1}.yaml`, text })));
    return [];
  } catch (error) {
    if (!(error instanceof AirlockError) || error.code !== "TOOLS_INVALID") throw error;
    return error.message.replace("a tool manifest is not usable: ", "").split("\n");
  }
}

/** The text with its properties' block in place of the one argument. */
function withProperties(block: string): string {
  return COUNT.replace("    path: { type: string, description: The file. }\n", block);
}

function manifestOf(text: string): ToolManifest {
  return readOperatorTool({ name: "1.yaml", text }).manifest;
}

describe("a tool file", () => {
  test("gives a manifest with every default filled in, and the catalog has it after the built-in tools", () => {
    const tool = readOperatorTool({ name: "1.yaml", text: COUNT });
    expect(tool.manifest).toEqual({
      name: "count_lines",
      description: "Counts the lines of a file.",
      inputSchema: {
        type: "object",
        additionalProperties: false,
        required: ["path"],
        properties: { path: { type: "string", description: "The file." } },
      },
      effect: "read",
      claims: { reads: ["path"], writes: [], patches: [], workspace: "none" },
      limits: { timeoutMs: 5_000, outputBytes: 262_144, argumentBytes: 65_536 },
      origin: { kind: "operator", command: ["count-lines", "--json"] },
    });
    expect(operatorCatalog([tool]).names()).toEqual([
      ...BUILTIN_MANIFESTS.map(({ name }) => name),
      "count_lines",
    ]);
  });

  test("may be JSON, and is the same tool then", () => {
    const { name, description, inputSchema, effect, claims, limits } = manifestOf(COUNT);
    const command = ["count-lines", "--json"];
    const json = {
      apiVersion: "airlock.tool/v1",
      name,
      description,
      inputSchema,
      effect,
      claims,
      limits,
      command,
    };
    expect(manifestDigest(manifestOf(JSON.stringify(json, null, 2)))).toBe(manifestDigest(manifestOf(COUNT)));
  });

  test.each([
    ["command", COUNT.replace("--json", "--text")],
    ["description", COUNT.replace("Counts", "Tells")],
    ["default limit", COUNT.replace("timeoutMs: 5000", "outputBytes: 9")],
    ["schema", COUNT.replace("The file.", "A file.")],
  ])("is another tool with another %s", (_, text) => {
    expect(manifestDigest(manifestOf(text))).not.toBe(manifestDigest(manifestOf(COUNT)));
  });

  test.each<[string, string, readonly string[]]>([
    ["is empty", "", ["1.yaml:1:1: the file is empty; an empty tool is never used"]],
    ["is a list", "- a\n", ["1.yaml:1:1: the file is no mapping; a tool is written as keys with values"]],
    ["names a key twice", `${COUNT}name: b\n`, ["1.yaml:14:1: Map keys must be unique"]],
    [
      "has unknown keys at several levels",
      `${COUNT.replace("timeoutMs", "timeout")}effects: read\n`,
      ['1.yaml:12:11: unknown key "timeout"', '1.yaml:14:1: unknown key "effects"'],
    ],
    ["lacks a key", COUNT.replace("effect: read\n", ""), ['1.yaml:1:1: the key "effect" is missing']],
    [
      "has the format of another version",
      COUNT.replace("tool/v1", "tool/v2"),
      ['1.yaml:1:1: apiVersion: Invalid input: expected "airlock.tool/v1"'],
    ],
    [
      "has the key __proto__ in its schema",
      withProperties("    __proto__: { type: string }\n"),
      ['1.yaml:9:5: the key "__proto__" could reach a prototype; rename it'],
    ],
    [
      "has the key __proto__ itself",
      `${COUNT}__proto__: {}\n`,
      ['1.yaml:14:1: the key "__proto__" could reach a prototype; rename it'],
    ],
    [
      "has a number that no JSON holds for certain",
      withProperties("    path: { type: string, maxLength: 9007199254740993 }\n"),
      ["1.yaml:9:27: a number that two parsers could read differently; stay within 2^53-1"],
    ],
    [
      "has an infinite number",
      withProperties("    path: { type: string, maxLength: .inf }\n"),
      ["1.yaml:9:27: a number that two parsers could read differently; stay within 2^53-1"],
    ],
    [
      "has half a character",
      COUNT.replace("Counts the lines of a file.", '"\\ud83d"'),
      ["1.yaml:3:1: half a surrogate pair"],
    ],
    [
      "has limits out of range",
      COUNT.replace("timeoutMs: 5000", "timeoutMs: 0, outputBytes: 262145, argumentBytes: 1.5"),
      [
        "1.yaml:12:11: limits.timeoutMs: Too small: expected number to be >=1",
        "1.yaml:12:25: limits.outputBytes: Too big: expected number to be <=262144",
        "1.yaml:12:46: limits.argumentBytes: Invalid input: expected int, received number",
      ],
    ],
    [
      "has an empty command",
      COUNT.replace("[count-lines, --json]", "[]"),
      ["1.yaml:13:1: command: Too small: expected array to have >=1 items"],
    ],
    [
      "has a name that families refuse",
      COUNT.replace("count_lines", "count-lines"),
      ['1.yaml:2:1: "count-lines" is no tool name; use a-z, 0-9 and _, a letter first'],
    ],
    [
      "takes the name of a built-in tool",
      COUNT.replace("count_lines", "read_file"),
      ['1.yaml:2:1: "read_file" is a built-in tool\'s name; rename or drop one'],
    ],
    [
      "claims what is no argument, no string, or may be left out",
      COUNT.replace("claims: { reads: [path] }", "claims: { reads: [paths, constructor, n, o] }").replace(
        "properties:\n",
        "properties:\n    n: { type: integer }\n    o: { type: string }\n",
      ),
      [
        '1.yaml:13:19: claims.reads names "paths", which is no argument of the tool',
        '1.yaml:13:26: claims.reads names "constructor", which is no argument of the tool',
        '1.yaml:13:39: claims.reads names "n", which is no string; only strings hold paths and patches',
        '1.yaml:13:42: claims.reads names "o", which may be left out; add it to required',
      ],
    ],
    [
      "reads and claims to write",
      COUNT.replace("reads: [path]", "writes: [path]"),
      ["1.yaml:10:1: a read tool can't claim to write; choose another effect, or drop the claims"],
    ],
    [
      "writes and doesn't say what",
      COUNT.replace("effect: read", "effect: idempotent"),
      [
        "1.yaml:11:1: a tool that is idempotent says what it writes: name arguments in writes, or workspace: write",
      ],
    ],
  ])("that %s is refused with its place", (_, text, problems) => {
    expect(problemsOf(text)).toEqual(problems);
  });

  test("that takes another's name is refused, and so are all others at once", () => {
    expect(problemsOf(COUNT, COUNT.replace("--json", "--text"), COUNT.replace("count_lines", "A"))).toEqual([
      '2.yaml:2:1: "count_lines" is registered twice; rename or drop one',
      '3.yaml:2:1: "A" is no tool name; use a-z, 0-9 and _, a letter first',
    ]);
  });
});

describe("a schema that is not strict is refused at its place", () => {
  const HEAD = "    path: { type: string }\n";
  const at = (where: string, fix: string) => `the input schema is open at ${where}; ${fix}`;
  const CLOSE = "say what other keys are: add additionalProperties: false";

  test.each<[string, string, readonly string[]]>([
    [
      "an object that doesn't say what else it takes",
      `${HEAD}    o: { type: object, properties: {} }\n`,
      [`1.yaml:10:5: ${at("#/properties/o", CLOSE)}`],
    ],
    [
      "one in an array's items",
      `${HEAD}    o: { type: array, items: { type: [object, "null"] } }\n`,
      [`1.yaml:10:23: ${at("#/properties/o/items", CLOSE)}`],
    ],
    [
      "one in the schema of all other keys",
      `${HEAD}    o: { type: object, additionalProperties: { type: object } }\n`,
      [`1.yaml:10:24: ${at("#/properties/o/additionalProperties", CLOSE)}`],
    ],
    [
      "one of alternatives",
      `${HEAD}    o: { anyOf: [{ type: string }, { type: object }] }\n`,
      [`1.yaml:10:36: ${at("#/properties/o/anyOf/1", CLOSE)}`],
    ],
    [
      "a value of any kind, and an array of anything",
      `${HEAD}    o: {}\n    p: { type: array }\n    q: true\n`,
      [
        `1.yaml:10:5: ${at("#/properties/o", "say which values are taken: add type")}`,
        `1.yaml:11:5: ${at("#/properties/p", "say what an array holds: add items")}`,
        `1.yaml:12:5: ${at("#/properties/q", "say which values are taken")}`,
      ],
    ],
    [
      "keywords that 2020-12 doesn't have, also where a schema only tests",
      `${HEAD}    o: { type: string, nullable: true, not: { definitions: {} } }\n`,
      [
        '1.yaml:10:24: unknown keyword "nullable" at #/properties/o; a tool\'s schema is JSON Schema 2020-12 in one document',
        '1.yaml:10:47: unknown keyword "definitions" at #/properties/o/not; a tool\'s schema is JSON Schema 2020-12 in one document',
      ],
    ],
    [
      "what the compiler's strict mode refuses, where it names the place",
      `${HEAD}    o: { type: integer, minLength: 1 }\n`,
      [
        '1.yaml:10:5: the input schema is not usable: strict mode: missing type "string" for keyword "minLength" at "#/properties/o" (strictTypes)',
      ],
    ],
    [
      "a pattern that is no regular expression, and one of keys, whatever else is wrong",
      `${HEAD}    o: { type: string, pattern: "(" }\n    p: { type: object, patternProperties: { "[": { type: string } } }\n`,
      [
        "1.yaml:10:24: the pattern at #/properties/o/pattern is no regular expression; write one of ECMAScript in unicode mode",
        `1.yaml:11:5: ${at("#/properties/p", CLOSE)}`,
        "1.yaml:11:45: the pattern at #/properties/p/patternProperties/[ is no regular expression; write one of ECMAScript in unicode mode",
      ],
    ],
    [
      "a reference to another document",
      `${HEAD}    o: { $ref: "https://example.org/a.json" }\n`,
      [
        "1.yaml:4:1: the input schema is not usable: can't resolve reference https://example.org/a.json from id #",
      ],
    ],
  ])("%s", (_, block, problems) => {
    expect(problemsOf(withProperties(block))).toEqual(problems);
  });

  test.each([
    ["further keys that are said to be free", "    o: { type: object, additionalProperties: true }\n"],
    ["further keys with a schema", "    o: { type: object, additionalProperties: { type: string } }\n"],
    ["unevaluatedProperties", "    o: { type: object, properties: {}, unevaluatedProperties: false }\n"],
    [
      "parts of one closed object",
      "    o: { type: object, unevaluatedProperties: false, allOf: [{ properties: { a: { type: string } } }] }\n",
    ],
    [
      "alternatives of one closed object",
      "    o: { type: object, additionalProperties: false, properties: { a: { type: string }, b: { type: string } }, anyOf: [{ required: [a], properties: { a: { type: string } } }, { maxProperties: 1 }] }\n",
    ],
    ["a constant, a list of values", "    o: { const: 1 }\n    p: { enum: [a, null] }\n"],
  ])("but not %s", (_, block) => {
    expect(problemsOf(withProperties(`    path: { type: string }\n${block}`))).toEqual([]);
  });
});

describe("the built-in tools", () => {
  test("take no key that their schema doesn't name, at any place", () => {
    const text = JSON.stringify(BUILTIN_MANIFESTS.map(({ inputSchema }) => inputSchema));
    expect(text.match(/"type":"object"/g)?.length).toBe(text.match(/"additionalProperties":false/g)?.length);
  });
});

describe("a manifest of an MCP server's tool", () => {
  test("carries server and tool in its digest", () => {
    const origin = { kind: "mcp", server: "tickets", tool: "search" } as const;
    const manifest: ToolManifest = { ...manifestOf(COUNT), origin };
    expect(createCatalog([manifest]).get("count_lines")?.origin).toEqual(origin);
    const digests = [
      manifest,
      { ...manifest, origin: { ...origin, server: "other" } },
      { ...manifest, origin: { ...origin, tool: "other" } },
      manifestOf(COUNT),
    ].map(manifestDigest);
    expect(new Set(digests).size).toBe(4);
  });
});

describe("a policy", () => {
  const POLICY = `apiVersion: airlock.policy/v1
mode: enforce
paths: { read: { allow: [src/**] } }
rules:
  - id: count
    decision: allow
    tool: count_lines
    match: [{ path: src/a.ts }]
    notMatch: [{ path: docs/a.md }]
`;
  const file = { name: "p.yaml", text: POLICY };

  test("may have rules and examples for an operator's tool, and path scopes hold for it", () => {
    const catalog = operatorCatalog([readOperatorTool({ name: "1.yaml", text: COUNT })]);
    expect(
      loadPolicy(file, { catalog }).layers.flatMap(({ rulesByTool }) => [...rulesByTool.keys()]),
    ).toEqual(["count_lines"]);
    const wrong = { ...file, text: POLICY.replace("path: src/a.ts", "file: src/a.ts") };
    expect(() => loadPolicy(wrong, { catalog })).toThrow('the example of rule "count" is no valid call');
  });

  test("that names one nobody registered does not load", () => {
    expect(() => loadPolicy(file)).toThrow('no tool is named "count_lines"; there are read_file');
  });

  test("judges the paths in the arguments, and leaves a declared reach to the tool's rule", () => {
    const manifest = manifestOf(COUNT.replace("reads: [path]", "reads: [path], workspace: read"));
    expect(argumentClaims(manifest, { path: "src/a.ts" })).toEqual({
      reads: ["src/a.ts"],
      writes: [],
      workspace: "none",
    });
    expect(argumentClaims(manifest, { path: "../a.ts" })).toEqual({
      reads: [],
      writes: [],
      workspace: "read",
    });
  });
});
