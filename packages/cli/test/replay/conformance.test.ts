import { createResponseReader, type ResponseReading } from "@airlock/core/terminal";
import { BUILTIN_MANIFESTS, createCatalog } from "@airlock/core/tool";
import { createJudge } from "@airlock/core/verdict";
import { ADAPTERS, FAMILIES, type Family } from "@airlock/core/wire";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ROWS as DOCUMENTED } from "../../../../scripts/conformance/rows.ts";
import { staleConformanceFiles } from "../../../../scripts/make-conformance.ts";
import { readResponses, replay, REPLAY_LIMITS, type ReplayDocument } from "../../src/replay/index.ts";
import { conformanceFiles, type ConformanceFile } from "./conformance-files.ts";

/** Every row of the catalogue of deviations: C01 to C94 with the numbers that it leaves out. */
const ROWS = [
  "C01 C02 C03 C04 C05 C06 C08 C09 C10 C11 C12 C13 C14 C15 C16 C17 C18 C19 C20 C21",
  "C22 C23 C24 C26 C27 C29 C30 C31 C32 C33 C34 C35 C36 C37 C38 C39 C40 C41 C42 C44",
  "C45 C46 C47 C48 C50 C52 C53 C54 C55 C56 C57 C58 C59 C60 C61 C62 C63 C65 C68 C69",
  "C70 C71 C72 C73 C74 C76 C77 C78 C80 C81 C82 C83 C84 C85 C87 C88 C89 C90 C91 C92",
  "C93 C94",
].flatMap((line) => line.split(" "));

/** Streams up to this size are also split in two at every byte, which costs their size squared. */
const SMALL_BYTES = 512;

const FILES = new Map(FAMILIES.map((family) => [family, conformanceFiles(family)]));
const ALL = [...FILES.values()].flat();

const judge = createJudge(createCatalog(BUILTIN_MANIFESTS));
const allowedTools = new Set(BUILTIN_MANIFESTS.map(({ name }) => name));

function conclude({ bytes, options, expected }: ConformanceFile, chunkBytes: number | null = null): object {
  const document = replay(bytes, { ...options, chunkBytes });
  const [reading] = readResponses(bytes, options);
  const { end, unknownEvents } = document.transport;
  const { family: _family, ...told } = document;
  return {
    ...told,
    transport: { end, unknownEvents },
    flags: reading?.flags ?? [],
    ...(expected.verdicts === undefined ? {} : { verdicts: verdicts(document, reading) }),
  };
}

function verdicts({ executable }: ReplayDocument, reading: ResponseReading | undefined): readonly string[] {
  return executable.map((ordinal) => {
    const { name = null, argumentsKind = null, content = "" } = reading?.items[ordinal] ?? {};
    const verdict = judge.judge({ name, argumentsKind, content, allowedTools });
    return verdict.status === "SCHEMA_VALID" ? verdict.status : verdict.errorClass;
  });
}

function readPieces(file: ConformanceFile, pieces: readonly Uint8Array[]): ResponseReading {
  const { family, closingMarker, maxOutputTokens, end, limits } = file.options;
  const reader = createResponseReader(ADAPTERS[family], {
    ...REPLAY_LIMITS,
    ...limits,
    closingMarker,
    requestedMaxOutputTokens: maxOutputTokens,
  });
  for (const piece of pieces) {
    if (reader.push(piece) === "closed") break;
  }
  return reader.end(end ?? "clean");
}

function split(bytes: Uint8Array, cuts: readonly number[]): readonly Uint8Array[] {
  const edges = [0, ...cuts.toSorted((left, right) => left - right), bytes.length];
  return edges.slice(1).map((edge, index) => bytes.subarray(edges[index] ?? 0, edge));
}

describe.each(FAMILIES)("the conformance suite of %s", (family) => {
  const files = FILES.get(family) ?? [];

  test.each(files)("$name: $title", (file) => {
    expect(conclude(file)).toEqual(file.expected);
  });

  const streams = files.filter(({ options }) => !options.buffered);

  test.each(streams)("$name ends the same when it comes byte by byte", (file) => {
    expect(conclude(file, 1)).toEqual(file.expected);
  });

  test.each(streams)("$name reads the same however its bytes are split", (file) => {
    const { bytes } = file;
    const whole = JSON.stringify(readPieces(file, [bytes]));
    const places = bytes.length <= SMALL_BYTES ? Array.from(bytes, (_, at) => at) : [];
    const differing = places.filter((at) => JSON.stringify(readPieces(file, split(bytes, [at]))) !== whole);
    expect(differing).toEqual([]);
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: bytes.length }), { maxLength: 20 }), (cuts) => {
        expect(JSON.stringify(readPieces(file, split(bytes, cuts)))).toBe(whole);
      }),
      { numRuns: 5 },
    );
  });
});

describe("the conformance suite", () => {
  test("is what its script makes", () => {
    expect(staleConformanceFiles()).toEqual([]);
  });

  test("covers every row of the catalogue, and names no other", () => {
    const covered = new Set(ALL.flatMap(({ covers }) => covers));
    expect([...covered].toSorted()).toEqual(ROWS);
    expect(Object.keys(DOCUMENTED)).toEqual(ROWS);
  });

  test.each(Object.entries(DOCUMENTED))(
    "gives %s exactly the verdicts that it documents",
    (row, { verdicts }) => {
      const found = ALL.filter(({ covers }) => covers.includes(row)).map((file) => verdictOf(file));
      expect([...new Set(found)].toSorted()).toEqual(verdicts.toSorted());
    },
  );

  test("reads every family streamed and as a whole body", () => {
    const counts = [...FILES.values()].map((files) => [
      files.filter(({ options }) => !options.buffered).length >= 60,
      files.filter(({ options }) => options.buffered).length >= 8,
    ]);
    expect(counts).toEqual(FAMILIES.map(() => [true, true]));
  });

  test("sets every item aside where a response did not end normally", () => {
    const wrong = ALL.filter(({ expected }) => {
      if (expected.outcome === "candidate_complete" || expected.outcome === "action_required") return false;
      return expected.executable.length > 0 || expected.items.some(({ state }) => state !== "QUARANTINED");
    });
    expect(wrong.map(({ family, name }) => `${family}/${name}`)).toEqual([]);
  });

  test.each(FAMILIES)(
    "%s: a fresh attempt after a disconnect knows nothing of the one before it",
    (family) => {
      const first = fileNamed(family, "c90-reset");
      const second = fileNamed(family, "tool-not-registered");
      const alone = [readPieces(first, [first.bytes]), readPieces(second, [second.bytes])];
      const readers = [first, second].map(() =>
        createResponseReader(ADAPTERS[family], {
          ...REPLAY_LIMITS,
          closingMarker: "optional",
          requestedMaxOutputTokens: null,
        }),
      );
      const longest = Math.max(first.bytes.length, second.bytes.length);
      for (let at = 0; at < longest; at += 1) {
        readers[0]?.push(first.bytes.subarray(at, at + 1));
        readers[1]?.push(second.bytes.subarray(at, at + 1));
      }
      expect([readers[0]?.end("reset"), readers[1]?.end("clean")]).toEqual(alone);
      expect(alone.map(({ outcome }) => outcome.action)).toEqual([null, "tool"]);
    },
  );
});

function verdictOf({ expected }: ConformanceFile): string {
  if (expected.outcome !== "candidate_complete" && expected.outcome !== "action_required") return "response";
  return expected.items.every(({ state }) => state === "ITEM_TERMINAL") ? "accept" : "call";
}

function fileNamed(family: Family, name: string): ConformanceFile {
  const file = FILES.get(family)?.find((each) => each.name === name);
  if (file === undefined) throw new RangeError(`${family} has no case ${name}`);
  return file;
}
