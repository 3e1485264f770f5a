import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { BUILTIN_MANIFESTS, OWN_TOOLS } from "@airlock/core/tool";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fitText } from "../../src/tools/fit-text.ts";
import { ALL_TOOLS, toolFixture } from "./tool-fixture.ts";

const lost = (): Promise<boolean> => Promise.resolve(false);

test("each manifest has a body, and each body a manifest", () => {
  const names = [...BUILTIN_MANIFESTS, ...OWN_TOOLS.values()].map(({ name }) => name);
  expect([...ALL_TOOLS.keys()].toSorted()).toEqual(names.toSorted());
});

test("what the schema should have refused is refused by each body", async () => {
  const { call } = await toolFixture();
  for (const name of ALL_TOOLS.keys()) {
    expect(await call(name, { unexpected: true })).toMatchObject({
      status: "refused",
      errorClass: "SCHEMA_VIOLATION",
    });
  }
});

describe("read_file", () => {
  test("returns the whole file, or the lines asked for, with its size and digest", async () => {
    const { call } = await toolFixture({ "a.txt": "one\ntwo\r\nthree" });
    const whole = { path: "a.txt", content: "one\ntwo\r\nthree", startLine: 1, endLine: 3, totalLines: 3 };
    const outcome = await call("read_file", { path: "a.txt" });
    expect(outcome).toMatchObject({ status: "ok", content: { ...whole, sizeBytes: 14, omittedBytes: 0 } });
    const range = await call("read_file", { path: "a.txt", startLine: 2, endLine: 2 });
    expect(range).toMatchObject({ content: { content: "two\r\n", startLine: 2, endLine: 2, totalLines: 3 } });
    const beyond = await call("read_file", { path: "a.txt", startLine: 9 });
    expect(beyond).toMatchObject({ status: "ok", content: { content: "", totalLines: 3 } });
  });

  test("cuts the middle out of what is over the limit", async () => {
    const { call } = await toolFixture({ big: `first\n${"x\n".repeat(50_000)}last` });
    const outcome = await call("read_file", { path: "big" });
    const held = outcome.status === "ok" ? outcome.content["content"] : null;
    const content = typeof held === "string" ? held : "";
    expect(content.startsWith("first\n") && content.endsWith("last")).toBe(true);
    expect(JSON.stringify(content).length).toBeLessThanOrEqual(4096);
  });

  test("refuses links, absent files and what is not text", async () => {
    const { call, tree } = await toolFixture({});
    symlinkSync("/etc/passwd", join(tree, "link"));
    writeFileSync(join(tree, "binary"), Buffer.from([0xff, 0xfe]));
    expect(await call("read_file", { path: "link" })).toMatchObject({
      status: "refused",
      errorClass: "PATH_REFUSED",
    });
    expect(await call("read_file", { path: "absent" })).toMatchObject({ detail: "the file does not exist" });
    expect(await call("read_file", { path: "binary" })).toMatchObject({
      status: "refused",
      errorClass: "TOOL_FAILED",
    });
  });
});

describe("list_files", () => {
  test("lists as deep as asked, and within its limit", async () => {
    const { call, tree } = await toolFixture({ a: "1" });
    mkdirSync(join(tree, "dir"));
    for (let index = 0; index < 200; index += 1) writeFileSync(join(tree, "dir", `file-${index}`), "");
    expect(await call("list_files", { path: "." })).toEqual({
      status: "ok",
      errorClass: null,
      content: {
        path: ".",
        entries: [
          { path: "a", type: "file", size: 1 },
          { path: "dir", type: "directory", size: 0 },
        ],
        truncated: false,
      },
    });
    const deep = await call("list_files", { path: ".", depth: 2 });
    expect(deep).toMatchObject({ content: { truncated: true } });
    expect(JSON.stringify(deep).length).toBeLessThan(4300);
    expect(await call("list_files", { path: ".." })).toMatchObject({ status: "refused" });
  });
});

describe("write_file", () => {
  test("writes, and reports both states", async () => {
    const { call, snapshot } = await toolFixture({ a: "old" });
    const outcome = await call("write_file", { path: "a", content: "neu\n" });
    expect(outcome).toMatchObject({ content: { before: { sizeBytes: 3 }, after: { sizeBytes: 4 } } });
    expect(await snapshot()).toEqual({ a: "neu\n" });
  });

  test("writes nothing once the fence is lost, or where the path is refused", async () => {
    const { call, snapshot } = await toolFixture();
    const args = { path: "a", content: "x" };
    expect(await call("write_file", args, { fenceHolds: lost })).toMatchObject({ errorClass: "CLAIM_LOST" });
    expect(await call("write_file", { ...args, path: ".git/config" })).toMatchObject({
      errorClass: "PATH_REFUSED",
    });
    expect(await snapshot()).toEqual({});
  });
});

describe("run_command", () => {
  test("returns exit code, streams and sizes", async () => {
    const { call } = await toolFixture({ a: "content" });
    const outcome = await call("run_command", { argv: ["bash", "-c", "cat a; echo oops >&2; exit 3"] });
    expect(outcome).toMatchObject({
      status: "ok",
      errorClass: null,
      content: {
        exitCode: 3,
        stdout: { text: "content", totalBytes: 7, omittedBytes: 0 },
        stderr: { text: "oops\n", totalBytes: 5, omittedBytes: 0 },
      },
    });
  });

  test("says which guarantee is missing where no sandbox holds", async () => {
    const { call, snapshot } = await toolFixture();
    const args = { argv: ["touch", "effect"] };
    const outcome = await call("run_command", args, { session: null, missing: ["net", "killTree"] });
    const detail = "not provided here: net, killTree";
    expect(outcome).toEqual({ status: "refused", errorClass: "SANDBOX_UNAVAILABLE", detail });
    expect(await snapshot()).toEqual({});
  });

  test.each([
    [{ argv: ["no-such-program"] }, { status: "refused", errorClass: "COMMAND_NOT_FOUND" }],
    [
      { argv: ["true"], cwd: ".." },
      { status: "refused", errorClass: "PATH_REFUSED" },
    ],
    [
      { argv: ["true"], cwd: "absent" },
      { status: "refused", errorClass: "PATH_REFUSED" },
    ],
    [
      { argv: ["true"], cwd: "link" },
      { status: "refused", errorClass: "PATH_REFUSED" },
    ],
    [
      { argv: ["sleep", "98711"], timeoutMs: 200 },
      { status: "timeout", errorClass: "TOOL_TIMEOUT" },
    ],
    [{ argv: ["yes"] }, { status: "output_limit", errorClass: "OUTPUT_LIMIT" }],
  ])("%j ends as %j", async (args, expected) => {
    const { call, tree } = await toolFixture();
    symlinkSync("/", join(tree, "link"));
    expect(await call("run_command", args)).toMatchObject(expected);
  });

  test("keeps output within the limit, whatever its bytes cost as JSON", async () => {
    const { call } = await toolFixture();
    const outcome = await call("run_command", { argv: ["head", "-c", "200000", "/dev/zero"] });
    expect(outcome).toMatchObject({ status: "ok", content: { stdout: { totalBytes: 200_000 } } });
    expect(JSON.stringify(outcome).length).toBeLessThan(4500);
  });
});

test("fitted text is within its limit, keeps both ends, and cuts no character in two", () => {
  const texts = fc.string({ unit: "binary", maxLength: 400 }).filter((text) => !text.includes("\ufffd"));
  fc.assert(
    fc.property(texts, fc.integer({ min: 60, max: 300 }), (text, max) => {
      const fitted = fitText(text, max);
      const mark = /\n\[\.\.\. \d+ bytes omitted \.\.\.\]\n/;
      const [head = "", tail = ""] = fitted.text.split(fitted.omittedBytes === 0 ? "\ufffd" : mark);
      expect(Buffer.byteLength(JSON.stringify(fitted.text))).toBeLessThanOrEqual(max);
      expect(fitted.text).not.toContain("\ufffd");
      expect(text.startsWith(head) && text.endsWith(tail)).toBe(true);
      expect(Buffer.byteLength(head + tail) + fitted.omittedBytes).toBe(Buffer.byteLength(text));
    }),
  );
});
