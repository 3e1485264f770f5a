import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { createResponseReader, type ResponseReading } from "@airlock/core/terminal";
import { ADAPTERS, FAMILIES, type Family } from "@airlock/core/wire";
import { expect, test } from "vitest";

const FOLDER = path.resolve(import.meta.dirname, "../../../../fixtures/demo");
const FILES = readdirSync(FOLDER, { recursive: true, encoding: "utf8" }).filter((file) =>
  file.endsWith(".sse"),
);

/** The stories are Responses streams; contract scenarios lie in a folder for each family. */
function familyOf(file: string): Family {
  return FAMILIES.find((family) => file.startsWith(`contract/${family}/`)) ?? "responses";
}

const LIMITS = {
  maxMessageBytes: 1 << 20,
  maxStreamBytes: 1 << 22,
  maxArgumentBytes: 1 << 20,
  maxItems: 128,
  requestedMaxOutputTokens: null,
};

function read(file: string, ...chunks: readonly Uint8Array[]): ResponseReading {
  const reader = createResponseReader(ADAPTERS[familyOf(file)], LIMITS);
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

/** Every byte of a short stream; of a long one every seventh, and each of the last. */
function placesIn(bytes: Uint8Array): readonly number[] {
  const short = bytes.length <= 2_048;
  return Array.from(bytes.keys()).filter((at) => short || at % 7 === 0 || at > bytes.length - 512);
}

const CALLING = FILES.filter((file) => executable(read(file, readFileSync(path.join(FOLDER, file)))) > 0);

test("the demo has streams", () => {
  expect(FILES.length).toBeGreaterThan(10);
  expect(CALLING.length).toBeGreaterThan(5);
});

test.each(FILES)("%s gives the same reading wherever its bytes are split", (file) => {
  const bytes = readFileSync(path.join(FOLDER, file));
  const whole = JSON.stringify(read(file, bytes));
  const differing = placesIn(bytes).filter(
    (at) => JSON.stringify(read(file, bytes.subarray(0, at), bytes.subarray(at))) !== whole,
  );
  expect(differing).toEqual([]);
  expect(JSON.stringify(read(file, ...Array.from(bytes, (byte) => Uint8Array.of(byte))))).toBe(whole);
});

test.each(CALLING)(
  "no prefix of %s that ends before its closing event is whole has an executable item",
  (file) => {
    const bytes = readFileSync(path.join(FOLDER, file));
    const last = bytes.lastIndexOf("\ndata: ");
    const closing = last + 1 + bytes.subarray(last + 1).findIndex((byte) => byte === 13 || byte === 10);
    const early = placesIn(bytes.subarray(0, closing)).filter(
      (at) => executable(read(file, bytes.subarray(0, at))) > 0,
    );
    expect(early).toEqual([]);
  },
);
