import { execFile } from "node:child_process";
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { gatewayOn, post } from "./client.ts";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const DEMO = path.join(ROOT, "fixtures/demo");
const run = promisify(execFile);

const json = z.record(z.string(), z.unknown());
const finished = z.object({ item: json, output_index: z.number() });
type Json = z.infer<typeof json>;

function eventsOf(stream: string): readonly Json[] {
  const blocks = stream.split("\n\n").filter((block) => block !== "");
  return blocks.map((block) => {
    const lines = /^event: (?<name>.+)\ndata: (?<data>.+)$/u.exec(block);
    const data = json.parse(JSON.parse(lines?.groups?.["data"] ?? "null"));
    expect(data["type"]).toBe(lines?.groups?.["name"]);
    return data;
  });
}

function outputOf(stream: string): readonly Json[] {
  const last = z.object({ response: z.object({ output: z.array(json) }) }).parse(eventsOf(stream).at(-1));
  return last.response.output;
}

async function copy(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), "receipt-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  await cp(path.join(DEMO, "repository"), folder, { recursive: true });
  return folder;
}

async function summary(folder: string): Promise<readonly string[]> {
  const options = { cwd: folder, env: { PATH: process.env["PATH"] } };
  const { stdout } = await run(process.execPath, ["--test", "--test-reporter=tap"], options).catch(
    (error: { readonly stdout: string }) => error,
  );
  return stdout.match(/^# (?:pass|fail) \d+$/gmu) ?? [];
}

async function argumentsOf(file: string, tool: string): Promise<Readonly<Record<string, string>>> {
  const output = outputOf(await readFile(path.join(DEMO, file), "utf8"));
  const called = output.find((item) => item["name"] === tool);
  return z.record(z.string(), z.string()).parse(JSON.parse(String(called?.["arguments"])));
}

function textOf(item: Json): unknown {
  return z.array(json).parse(item["content"] ?? item["summary"])[0]?.["text"];
}

/** Plays a case as a client does that runs every call at once; gives the tools called in each turn. */
async function play(name: string): Promise<readonly (readonly string[])[]> {
  const gateway = await gatewayOn({ directory: path.join(ROOT, "fixtures"), misbehave: { chunkBytes: 7 } });
  const input: Json[] = [{ role: "user", content: "Go." }];
  const turns: (readonly string[])[] = [];
  for (let calls: readonly Json[] | null = null; calls === null || calls.length > 0;) {
    const response = await post(gateway, { model: `replay/demo/${name}`, input, stream: true });
    const text = await response.text();
    expect([response.status, text.slice(0, 6)]).toEqual([200, "event:"]);
    const output = text.includes("event: response.completed") ? outputOf(text) : null;
    if (output === null) {
      turns.push(["(cut)"]);
      continue;
    }
    calls = output.filter(({ type }) => type === "function_call");
    turns.push(calls.map((call) => String(call["name"])));
    input.push(...output);
    input.push(
      ...calls.map((call) => ({ type: "function_call_output", call_id: call["call_id"], output: "ok" })),
    );
  }
  return turns;
}

test("the files are what the script makes", async () => {
  const { stderr } = await run(
    process.execPath,
    ["--conditions=source", "--import", "tsx", "scripts/make-demo-fixtures.ts", "--check"],
    {
      cwd: ROOT,
    },
  );
  expect(stderr).toBe("");
});

test.each([
  [
    "fix-test",
    [["list_files", "read_file"], ["read_file", "run_command"], ["apply_patch"], ["run_command"], []],
  ],
  ["cut-write", [["(cut)"], ["write_file"], []]],
  ["forbidden", [["read_file", "write_file"], []]],
  ["contract/responses/text", [[]]],
  ["contract/responses/tool_call", [["read_file"], []]],
  ["contract/responses/parallel_calls", [["list_files", "read_file"], []]],
])("%s plays turn by turn", async (name, turns) => {
  expect(await play(name)).toEqual(turns);
});

describe("every whole stream", () => {
  test("numbers its events, restates its items, and joins its deltas to what it finishes", async () => {
    const folders = ["", "contract/responses/"];
    const entries = await Promise.all(
      folders.map(async (folder) => (await readdir(path.join(DEMO, folder))).map((file) => folder + file)),
    );
    const files = entries.flat().filter((file) => file.endsWith(".sse") && file !== "cut-write.1.sse");
    expect(files.length).toBeGreaterThan(10);
    for (const file of files) {
      const stream = await readFile(path.join(DEMO, file), "utf8");
      const events = eventsOf(stream);
      expect(events.map((event) => event["sequence_number"])).toEqual(events.map((_, index) => index));
      const done = events.filter(({ type }) => type === "response.output_item.done");
      expect(outputOf(stream)).toEqual(done.map(({ item }) => item));
      for (const { item, output_index: slot } of z.array(finished).parse(done)) {
        const own = events.filter((event) => event["output_index"] === slot && "delta" in event);
        const whole = item["arguments"] ?? textOf(item);
        expect(own.map((event) => event["delta"]).join("")).toBe(whole);
      }
    }
  });
});

test("the cut stream ends inside the arguments of a write_file call", async () => {
  const stream = await readFile(path.join(DEMO, "cut-write.1.sse"), "utf8");
  expect(stream).toContain('"name":"write_file"');
  expect(stream).not.toContain("response.function_call_arguments.done");
  expect(stream.slice(stream.lastIndexOf("data: "))).toMatch(/"delta":"[^"\n]+$/u);
});

describe("the disposable repository", () => {
  test("fails two of its tests, and none once the file is written", async () => {
    const folder = await copy();
    expect(await summary(folder)).toEqual(["# pass 2", "# fail 2"]);
    const { path: file = "", content = "" } = await argumentsOf("cut-write.1.retry.sse", "write_file");
    await writeFile(path.join(folder, file), content);
    expect(await summary(folder)).toEqual(["# pass 4", "# fail 0"]);
  });

  test("is changed by the patch as by the written file", async () => {
    const folder = await copy();
    const { patch = "" } = await argumentsOf("fix-test.3.sse", "apply_patch");
    await writeFile(path.join(folder, "fix.patch"), patch);
    await run("git", ["apply", "fix.patch"], { cwd: folder });
    const { path: file = "", content } = await argumentsOf("cut-write.1.retry.sse", "write_file");
    expect(await readFile(path.join(folder, file), "utf8")).toBe(content);
  });
});
