import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { AirlockError } from "@airlock/core/fault";
import { afterAll, describe, expect, test } from "vitest";
import { commandLine } from "./command-line.ts";

const FOLDER = mkdtempSync(path.join(tmpdir(), "replay-"));
afterAll(() => rmSync(FOLDER, { recursive: true }));

const BODY = {
  id: "resp_1",
  status: "completed",
  output: [{ type: "function_call", call_id: "call_1", name: "read_file", arguments: '{"path":"a"}' }],
};
const STREAM = `data: ${JSON.stringify({ type: "response.completed", response: { ...BODY, output: [] } })}\n\n`;

writeFileSync(path.join(FOLDER, "b.sse"), STREAM);
writeFileSync(path.join(FOLDER, "a.sse"), STREAM.slice(0, 40));
writeFileSync(path.join(FOLDER, "a.json"), JSON.stringify(BODY));
writeFileSync(path.join(FOLDER, "a.expected.json"), "{}");
writeFileSync(path.join(FOLDER, "tools.yaml"), "- write_file\n");
writeFileSync(path.join(FOLDER, "broken.yaml"), "write_file: [\n");

async function run(...words: readonly string[]) {
  const { code, said } = await commandLine(["replay", ...words], { folder: FOLDER });
  return { code, text: said };
}

describe("`airlock replay`", () => {
  test("prints one document for a file, and ends with 0 whatever the outcome is", async () => {
    const { code, text } = await run("a.sse", "--family", "responses", "--json");
    expect([code, JSON.parse(text)]).toEqual([
      0,
      {
        family: "responses",
        raw: null,
        outcome: "indeterminate",
        responseId: null,
        items: [],
        executable: [],
        transport: { end: "mid_line", bytes: 40, messages: 0, unknownEvents: 0 },
        errorClass: "STREAM_TRUNCATED",
      },
    ]);
  });

  test("prints one list for a folder, in the order of the names", async () => {
    const { text } = await run(".", "--family", "responses", "--json");
    const documents = JSON.parse(text) as { readonly file: string; readonly outcome: string }[];
    expect(documents.map(({ file, outcome }) => [file, outcome])).toEqual([
      ["a.sse", "indeterminate"],
      ["b.sse", "candidate_complete"],
    ]);
  });

  test("reads whole bodies with --buffered, and no expectations", async () => {
    const { text } = await run(".", "--family", "responses", "--buffered", "--json");
    const documents = JSON.parse(text) as { readonly file: string; readonly executable: number[] }[];
    expect(documents.map(({ file, executable }) => [file, executable])).toEqual([["a.json", [0]]]);
  });

  test("sets calls aside whose tools --tools does not name, and sees the budget", async () => {
    const file = ["a.json", "--family", "responses", "--buffered", "--json"];
    const named = JSON.parse((await run(...file, "--tools", "tools.yaml")).text) as { executable: number[] };
    expect(named.executable).toEqual([]);
    writeFileSync(
      path.join(FOLDER, "spent.json"),
      JSON.stringify({ ...BODY, usage: { input_tokens: 1, output_tokens: 9 } }),
    );
    const spent = await run("spent.json", ...file.slice(1), "--max-output-tokens", "9");
    expect(JSON.parse(spent.text)).toMatchObject({ outcome: "truncated", errorClass: "USAGE_AT_CAP" });
    rmSync(path.join(FOLDER, "spent.json"));
  });

  test("shows a timeline, the items and the conclusion to people", async () => {
    const { text } = await run("a.json", "--family", "responses", "--buffered");
    expect(text).toContain("tool_call read_file call_1 ends (0)");
    expect(text).toMatch(/0 +tool_call +read_file +call_1 +ITEM_TERMINAL +yes/);
    expect(text).toContain("outcome    action_required");
    const folder = await run(".", "--family", "responses");
    expect(folder.text).toMatch(/a\.sse +indeterminate +- +0 +- +STREAM_TRUNCATED/);
  });

  test.each([
    ["no family", ["a.sse"], "--family is missing; it has to be one of responses, chat, anthropic, gemini"],
    ["an unknown family", ["a.sse", "--family", "toString"], "--family toString is unknown"],
    ["no such file", ["c.sse", "--family", "chat"], "c.sse can't be read (ENOENT)"],
    [
      "a marker of no kind",
      ["a.sse", "--family", "chat", "--closing-marker", "maybe"],
      "--closing-marker maybe",
    ],
    ["no budget", ["a.sse", "--family", "chat", "--max-output-tokens", "0"], "--max-output-tokens 0"],
    ["no chunk", ["a.sse", "--family", "chat", "--chunk", "1.5"], "--chunk 1.5"],
    ["no list of tools", ["a.sse", "--family", "chat", "--tools", "broken.yaml"], "broken.yaml"],
    ["no such list", ["a.sse", "--family", "chat", "--tools", "no.yaml"], "no.yaml can't be read (ENOENT)"],
  ])("refuses %s as unusable input", async (_name, words, message) => {
    const refused: unknown = await run(...words).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(AirlockError);
    expect(String(refused)).toContain(message);
  });

  test("refuses a folder without recordings", async () => {
    const empty = mkdtempSync(path.join(FOLDER, "empty-"));
    const refused: unknown = await run(empty, "--family", "chat").catch((error: unknown) => error);
    expect(String(refused)).toContain("holds no recording (*.sse)");
    rmSync(empty, { recursive: true });
  });
});
