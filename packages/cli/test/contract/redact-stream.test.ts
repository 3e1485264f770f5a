import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { FAMILIES, type Family } from "@airlock/core/wire";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { redactStream } from "../../src/contract/index.ts";
import { replay, REPLAY_LIMITS, type ReplayDocument } from "../../src/replay/index.ts";

const FIXTURES = path.resolve(import.meta.dirname, "../../../../fixtures");
const TOOLS = new Set(["read_file", "list_files"]);
const redact = (text: string, tools: ReadonlySet<string> = TOOLS): string | null =>
  redactStream(Buffer.from(text), tools);

function read(bytes: Uint8Array, family: Family): ReplayDocument {
  return replay(bytes, {
    ...REPLAY_LIMITS,
    family,
    buffered: false,
    tools: null,
    maxOutputTokens: null,
    closingMarker: "optional",
    chunkBytes: null,
  });
}

describe("a redacted stream", () => {
  test("keeps the protocol's words and its own calls, and replaces texts and identifiers", () => {
    const stream =
      ": keep-alive by Jane\n" +
      "event: response.function_call_arguments.delta\n" +
      'data: {"type":"response.function_call_arguments.delta","item_id":"fc_0a1b2c3d","delta":"{\\"path\\":\\"RE"}\n\n' +
      'data: { "id":"fc_0a1b2c3d", "call_id":"call_77aa", "name":"read_file", "arguments":"{\\"path\\":\\"README.md\\"}",\n' +
      'data: "encrypted_content":"gAAAAB+/==", "text":"Jané \\u00e9\\n", "n":1.5e3,"ok":true }\n\n' +
      "data: [DONE]\n\n";
    expect(redact(stream)).toBe(
      ": xxxxxxxxxx xx xxxx\n" +
        "event: response.function_call_arguments.delta\n" +
        'data: {"type":"response.function_call_arguments.delta","item_id":"fc_00000001","delta":"{\\"path\\":\\"RE"}\n\n' +
        'data: { "id":"fc_00000001", "call_id":"call_0002", "name":"read_file", "arguments":"{\\"path\\":\\"README.md\\"}",\n' +
        'data: "encrypted_content":"xxxxxxxxxx", "text":"xxxx xx", "n":1.5e3,"ok":true }\n\n' +
        "data: [DONE]\n\n",
    );
  });

  test("loses the arguments of all calls where one is of another tool", () => {
    const call = (name: string): string =>
      `data: {"name":"${name}","arguments":"{\\"a\\":\\"secret\\"}"}\n\n`;
    const redacted = redact(call("read_file") + call("wire_money"));
    expect(redacted).not.toContain("secret");
    expect(redacted).not.toContain("wire_money");
  });

  test("keeps no word, number or key of another tool's arguments, whatever they look like", () => {
    const start = (name: string, input: string): string =>
      `data: {"type":"content_block_start","index":7,"content_block":{"type":"tool_use","name":"${name}","input":${input}}}\n\n`;
    const input =
      '{"code":"hunter2-secret","status":"acme/private-repo","acme":[{"id":-42.5e1,"code":true}]}';
    expect(redact(start("wire_money", input))).toBe(
      start(
        "xxxxxxxxxx",
        '{"0001":"xxxxxxxxxxxxxx","000002":"xxxxxxxxxxxxxxxxx","0003":[{"04":-11.1e1,"0001":true}]}',
      ),
    );
    expect(redact(start("read_file", input))).toBe(start("read_file", input));
    const partial = (name: string, piece: string, value: string, count: number): string =>
      `data: {"functionCall":{"name":"${name}","partialArgs":[{"jsonPath":"${piece}","stringValue":"${value}","numberValue":${count}}]}}\n\n`;
    expect(redact(partial("wire_money", "$.acme", "secret", 42))).toBe(
      partial("xxxxxxxxxx", "xxxxxx", "xxxxxx", 11),
    );
  });

  test("keeps a bare list that is an error one, without its words", () => {
    const call = 'data: {"name":"read_file"}\n\n';
    expect(redact(`${call}[{"error":{"message":"Jane"}}]\n\n`)).toBe(
      `${call}[{"error":{"message":"xxxx"}}]\n\n`,
    );
    expect(redact(`${call}[{\n"error":{"message":"Jane"}}]\n\n`)).toBeNull();
  });

  test.each([
    ["a body without events", '{"error":{"message":"no"}}'],
    ["no bytes", ""],
  ])("is none where there is %s", (_, text) => {
    expect(redact(text)).toBeNull();
  });

  test("is none where the bytes are not UTF-8", () => {
    expect(redactStream(Buffer.from("data: \xff\n\n", "latin1"), TOOLS)).toBeNull();
  });

  test("keeps no text, wherever it stands and wherever the stream is cut", () => {
    const SECRET = "Jane-Doe-1234";
    fc.assert(
      fc.property(
        fc.json({ maxDepth: 4 }),
        fc.constantFrom("text", "content", "delta", "id"),
        fc.nat(),
        (json, key, cut) => {
          const stream = `data: {"a":[${json}],"${key}":"${SECRET}","b":{"c":["${SECRET}"]}}\n\n: ${SECRET}\n${SECRET}\n`;
          const redacted = redact(stream.slice(0, Math.max(7, cut % stream.length))) ?? "";
          expect(redacted).not.toContain("Jane");
          expect(redacted).not.toContain("Doe");
        },
      ),
    );
  });
});

describe.each(FAMILIES)("every recorded %s stream", (family) => {
  const folder = path.join(FIXTURES, "conformance", family);
  const files = readdirSync(folder).filter((file) => file.endsWith(".sse"));

  test("reads as it did before it was redacted, but for texts and identifiers", () => {
    expect(files.length).toBeGreaterThan(10);
    for (const file of files) {
      const bytes = readFileSync(path.join(folder, file));
      const before = read(bytes, family);
      const names = new Set(
        [...bytes.toString("utf8").matchAll(/"name":\s*"([^"]*)"/g)].map(([, name = ""]) => name),
      );
      const redacted = redactStream(bytes, names);
      if (redacted === null) continue;
      expect({ file, ...comparable(read(Buffer.from(redacted), family)) }).toEqual({
        file,
        ...comparable(before),
      });
    }
  });
});

function comparable(document: ReplayDocument) {
  const { raw, outcome, errorClass, executable, items, transport } = document;
  return {
    raw,
    outcome,
    errorClass,
    executable,
    messages: transport.messages,
    items: items.map(({ kind, name, state, errorClass: itemClass, callId, arguments: args }) => ({
      kind,
      name,
      state,
      itemClass,
      hasId: callId !== null,
      // a call that its item's type names is none of a scenario's own
      args: kind === "tool_call" && name?.endsWith("_call") !== true ? args : null,
    })),
  };
}
