import { performance } from "node:perf_hooks";
import { FAMILIES, type Family } from "@airlock/core/wire";
import { describe, expect, test } from "vitest";
import { fuzz } from "../../../../scripts/fuzz-wire/fuzz.ts";
import { mutate } from "../../../../scripts/fuzz-wire/mutate.ts";
import { objection } from "../../../../scripts/fuzz-wire/oracle.ts";
import { createRandom } from "../../../../test/support/random.ts";
import { recordings } from "../../../../scripts/fuzz-wire/recordings.ts";
import { replay, type ReplayDocument } from "../../src/replay/index.ts";
import { conformanceFiles } from "./conformance-files.ts";

const CASES = 5_000;
const SEED = 20_260_701;

const RECORDINGS = recordings(process.env["AIRLOCK_SHARED"]);

describe("mutated recordings", () => {
  test(`never break a reader, and never run what the ground rule would not: ${CASES} cases`, () => {
    const now = (): number => performance.now();
    const result = fuzz({ recordings: RECORDINGS, seed: SEED, cases: CASES, now });
    expect(result.findings.map(({ seed, file, problem }) => ({ seed, file, problem }))).toEqual([]);
    expect(result.executable).toBeGreaterThan(CASES / 50);
  });

  test("are decided by their seed alone", () => {
    const [base] = RECORDINGS;
    const bytes = base?.bytes ?? new Uint8Array();
    const once = (seed: number): Uint8Array => mutate(bytes, { random: createRandom(seed), other: bytes });
    expect([1, 2, 3].map((seed) => once(seed))).toEqual([1, 2, 3].map((seed) => once(seed)));
    expect(Buffer.from(once(1)).equals(once(2))).toBe(false);
  });
});

/** The document of a reader that believes everything. */
function credulous(document: ReplayDocument): ReplayDocument {
  const items = document.items.map((item) => ({
    ...item,
    arguments: item.kind === "tool_call" ? (item.arguments ?? {}) : item.arguments,
    state: "ITEM_TERMINAL" as const,
    errorClass: null,
  }));
  const executable = items.filter(({ kind }) => kind === "tool_call").map(({ ordinal }) => ordinal);
  return { ...document, items, executable, outcome: "action_required", errorClass: null };
}

describe("the fuzzer's oracle", () => {
  test.each(FAMILIES)("has nothing against a true document of %s", (family) => {
    const objections = conformanceFiles(family).flatMap(({ name, bytes, options }) => {
      const document = replay(bytes, { ...options, tools: null });
      const found = objection({ bytes, options, document });
      return found === null ? [] : [`${name}: ${found}`];
    });
    expect(objections).toEqual([]);
  });

  test.each<readonly [Family, readonly string[]]>([
    [
      "responses",
      [
        "final-event-omitted",
        "outcome-max-output-tokens",
        "error-nested",
        "c47-no-item-done",
        "c48-final-differs",
      ],
    ],
    [
      "chat",
      [
        "c32-no-finish-reason",
        "outcome-length-call",
        "c41-error-object",
        "c33-end-of-file",
        "c34-no-done-required",
      ],
    ],
    [
      "anthropic",
      [
        "c61-no-stop-reason",
        "outcome-max-tokens-call",
        "c62-never-stopped",
        "c57-two-inputs",
        "error-after-stop-reason",
      ],
    ],
    [
      "gemini",
      [
        "finish-reason-missing",
        "outcome-safety",
        "c72-call-after-finish",
        "error-after-finish",
        "two-finish-reasons",
      ],
    ],
  ])("objects to a reader of %s that believes everything", (family, names) => {
    const files = conformanceFiles(family);
    const believed = names.filter((name) => {
      const file = files.find((each) => each.name === name);
      if (file === undefined) return true;
      const { bytes, options } = file;
      const document = credulous(replay(bytes, { ...options, tools: null }));
      return document.executable.length === 0 || objection({ bytes, options, document }) === null;
    });
    expect(believed).toEqual([]);
  });

  test.each(FAMILIES)("objects to calls of %s after every broken connection", (family) => {
    const broken = conformanceFiles(family).filter(
      ({ options, expected }) =>
        options.end !== "clean" && expected.outcome === "indeterminate" && expected.items.length > 0,
    );
    const believed = broken.filter(({ bytes, options }) => {
      const document = credulous(replay(bytes, { ...options, tools: null }));
      return objection({ bytes, options, document }) === null;
    });
    expect([broken.length > 3, believed.map(({ name }) => name)]).toEqual([true, []]);
  });
});
