import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { FAMILIES, type Family } from "@airlock/core/wire";
import { describe, expect, test } from "vitest";
import { replay, timeline, type ReplayDocument, type ReplayOptions } from "../../src/replay/index.ts";

const REPOSITORY = fileURLToPath(new URL("../../../../", import.meta.url));
const CORPUS = path.join(process.env["AIRLOCK_SHARED"] ?? path.join(REPOSITORY, "../shared"), "corpus");

function recordings(family: Family) {
  const folder = path.join(CORPUS, family);
  if (!existsSync(folder)) return [];
  const files = readdirSync(folder).filter((file) => file.endsWith(".sse"));
  return files.map((file) => {
    const expected = `${file.slice(0, -".sse".length)}.expected.json`;
    return {
      file,
      bytes: readFileSync(path.join(folder, file)),
      expected: JSON.parse(readFileSync(path.join(folder, expected), "utf8")) as object,
    };
  });
}

function optionsFor(family: Family, change: Partial<ReplayOptions> = {}) {
  return {
    family,
    buffered: false,
    closingMarker: "optional",
    maxOutputTokens: null,
    chunkBytes: null,
    end: "clean",
    tools: null,
    ...change,
  } as const;
}

/** A document in the words of the recordings' expectations. */
function told(document: ReplayDocument): object {
  const { family, raw, outcome, responseId, items } = document;
  return {
    family,
    raw,
    outcome,
    responseId,
    calls: items
      .filter(({ kind }) => kind === "tool_call")
      .map((item) => ({
        callId: item.callId,
        name: item.name,
        kind: item.argumentsKind,
        arguments: item.arguments,
      })),
    providerExecuted: items.filter(({ kind }) => kind === "provider_executed").length,
  };
}

describe.each(FAMILIES)("every recorded %s stream (needs AIRLOCK_SHARED)", (family) => {
  const files = recordings(family);

  test.skipIf(!existsSync(CORPUS))("is there", () => {
    expect(files.length).toBeGreaterThan(3);
  });

  test.each(files)("$file gives its expectation, whole and in chunks", ({ bytes, expected }) => {
    const documents = [null, 1, 7, 1_000].map((chunkBytes) =>
      replay(bytes, optionsFor(family, { chunkBytes })),
    );
    expect(documents.map((document) => told(document))).toEqual(documents.map(() => expected));
    expect(documents.map((document) => JSON.stringify(document))).toEqual(
      documents.map(() => JSON.stringify(documents[0])),
    );
  });

  test.each(files)("$file has exactly its calls to execute", ({ bytes }) => {
    const { items, executable } = replay(bytes, optionsFor(family));
    const calls = items.filter(({ kind }) => kind === "tool_call").map(({ ordinal }) => ordinal);
    expect(executable).toEqual(calls);
  });

  test.each(files)("$file has nothing to execute where none of its tools is registered", ({ bytes }) => {
    const { items, executable } = replay(bytes, { ...optionsFor(family), tools: new Set(["none_of_them"]) });
    const calls = items.filter(({ kind }) => kind === "tool_call");
    expect([executable, calls.filter(({ errorClass }) => errorClass !== "TOOL_UNKNOWN")]).toEqual([[], []]);
  });

  test.each(files)("$file has a timeline that accounts for every message", ({ bytes }) => {
    const entries = timeline(bytes, optionsFor(family));
    const offsets = entries.map(({ at }) => at);
    expect(offsets.toSorted((left, right) => left - right)).toEqual(offsets);
    expect(entries.filter(({ tone }) => tone === "signal").length).toBe(1);
    expect(entries.length).toBeLessThan(bytes.length / 100 + 20);
  });
});
