import { existsSync, readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { parseStrictJson } from "@airlock/core/json";

const repository = path.resolve(import.meta.dirname, "../../../..");
const shared = process.env["AIRLOCK_SHARED"] ?? path.resolve(repository, "../shared");
const folder = path.join(shared, "json-test-suite/test_parsing");

/** Valid JSON, or JSON that the standard leaves open, which a tool call must not hold: each by name, with the reason. */
const refusals = {
  JSON_NUMBER_NOT_FINITE: {
    reason: "another parser may read an infinity, or fail",
    names: [
      "i_number_huge_exp.json",
      "i_number_neg_int_huge_exp.json",
      "i_number_pos_double_huge_exp.json",
      "i_number_real_neg_overflow.json",
      "i_number_real_pos_overflow.json",
    ],
  },
  JSON_NUMBER_UNSAFE: {
    reason: "another parser may read a zero or a neighbour",
    names: [
      "i_number_double_huge_neg_exp.json",
      "i_number_real_underflow.json",
      "i_number_too_big_neg_int.json",
      "i_number_too_big_pos_int.json",
      "i_number_very_big_negative_int.json",
      "y_number.json",
      "y_number_real_capital_e.json",
      "y_number_real_exponent.json",
      "y_number_real_fraction_exponent.json",
      "y_object_extreme_numbers.json",
    ],
  },
  JSON_LONE_SURROGATE: {
    reason: "half a pair has no UTF-8 form, so no file name or content can hold it",
    names: [
      "i_object_key_lone_2nd_surrogate.json",
      "i_string_1st_surrogate_but_2nd_missing.json",
      "i_string_1st_valid_surrogate_2nd_invalid.json",
      "i_string_incomplete_surrogate_and_escape_valid.json",
      "i_string_incomplete_surrogate_pair.json",
      "i_string_incomplete_surrogates_escape_valid.json",
      "i_string_invalid_lonely_surrogate.json",
      "i_string_invalid_surrogate.json",
      "i_string_inverted_surrogates_U+1D11E.json",
      "i_string_lone_second_surrogate.json",
    ],
  },
  BAD_UTF8: {
    reason: "the stream's decoder refuses these bytes before any parser sees text",
    names: [
      "i_string_UTF-16LE_with_BOM.json",
      "i_string_UTF-8_invalid_sequence.json",
      "i_string_UTF8_surrogate_U+D800.json",
      "i_string_invalid_utf-8.json",
      "i_string_iso_latin_1.json",
      "i_string_lone_utf8_continuation_byte.json",
      "i_string_not_in_unicode_range.json",
      "i_string_overlong_sequence_2_bytes.json",
      "i_string_overlong_sequence_6_bytes.json",
      "i_string_overlong_sequence_6_bytes_null.json",
      "i_string_truncated-utf-8.json",
      "i_string_utf16BE_no_BOM.json",
      "i_string_utf16LE_no_BOM.json",
    ],
  },
  JSON_TOO_DEEP: { reason: "arguments may nest 64 deep", names: ["i_structure_500_nested_arrays.json"] },
  JSON_SYNTAX: {
    reason: "a byte order mark is no part of an argument text",
    names: ["i_structure_UTF-8_BOM_empty_object.json"],
  },
  JSON_DUPLICATE_KEY: {
    reason: "parsers disagree on which of the two counts",
    names: ["y_object_duplicated_key.json", "y_object_duplicated_key_and_value.json"],
  },
} as const satisfies Record<string, { readonly reason: string; readonly names: readonly string[] }>;

const refusedOnPurpose: ReadonlyMap<string, string> = new Map(
  Object.entries(refusals).flatMap(([errorClass, { names }]) =>
    names.map((name) => [name, errorClass] as const),
  ),
);

/** Bytes first: what is not UTF-8 never becomes text. */
function read(name: string): string {
  const bytes = readFileSync(path.join(folder, name));
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return "BAD_UTF8";
  }
  const parsed = parseStrictJson(text, { maxBytes: 1_000_000, maxDepth: 64, topLevel: "any" });
  return parsed.ok ? "accepted" : parsed.errorClass;
}

describe.skipIf(!existsSync(folder))(
  `the parsing suite in ${folder} (skipped where it does not exist)`,
  () => {
    const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".json")) : [];

    test("is whole", () => {
      expect(names.length).toBeGreaterThan(300);
      expect([...refusedOnPurpose.keys()].filter((name) => !names.includes(name))).toEqual([]);
    });

    test.each(names)("%s", (name) => {
      const outcome = read(name);
      const expected = refusedOnPurpose.get(name) ?? (name.startsWith("n_") ? "refused" : "accepted");
      expect(expected === "refused" && outcome !== "accepted" ? "refused" : outcome).toBe(expected);
    });
  },
);
