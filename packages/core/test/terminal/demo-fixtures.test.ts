import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { createResponseReader, type ResponseReading } from "@airlock/core/terminal";
import { ADAPTERS } from "@airlock/core/wire";
import { expect, test } from "vitest";

const FOLDER = path.resolve(import.meta.dirname, "../../../../fixtures/demo");
const FILES = readdirSync(FOLDER).filter((file) => file.endsWith(".sse"));
const LIMITS = {
  maxMessageBytes: 1 << 20,
  maxStreamBytes: 1 << 22,
  maxArgumentBytes: 1 << 20,
  maxItems: 128,
  requestedMaxOutputTokens: null,
};

function read(...chunks: readonly Uint8Array[]): ResponseReading {
  const reader = createResponseReader(ADAPTERS.responses, LIMITS);
  for (const chunk of chunks) reader.push(chunk);
  return reader.end("clean");
}

function executable(reading: ResponseReading): number {
  const unlocked =
    reading.outcome.kind === "action_required" || reading.outcome.kind === "candidate_complete";
  return unlocked
    ? reading.items.filter(({ kind, state }) => kind === "tool_call" && state === "ITEM_TERMINAL").length
    : 0;
}

const CALLING = FILES.filter((file) => executable(read(readFileSync(path.join(FOLDER, file)))) > 0);

test("the demo has streams", () => {
  expect(FILES.length).toBeGreaterThan(10);
  expect(CALLING.length).toBeGreaterThan(5);
});

test.each(FILES)("%s gives the same reading wherever its bytes are split", (file) => {
  const bytes = readFileSync(path.join(FOLDER, file));
  const whole = JSON.stringify(read(bytes));
  const differing = Array.from(bytes.keys()).filter(
    (at) => JSON.stringify(read(bytes.subarray(0, at), bytes.subarray(at))) !== whole,
  );
  expect(differing).toEqual([]);
  expect(JSON.stringify(read(...Array.from(bytes, (byte) => Uint8Array.of(byte))))).toBe(whole);
});

test.each(CALLING)(
  "no prefix of %s that ends before its closing event is whole has an executable item",
  (file) => {
    const bytes = readFileSync(path.join(FOLDER, file));
    const last = bytes.lastIndexOf("\ndata: ");
    const closing = bytes.indexOf("\n", last + 1);
    const early = Array.from({ length: closing }, (_, at) => at).filter(
      (at) => executable(read(bytes.subarray(0, at))) > 0,
    );
    expect(early).toEqual([]);
  },
);
