import { describe, expect, test } from "vitest";
import {
  artifactExpectationSchema,
  validateArtifact,
  type ArtifactExpectation,
  type ArtifactResult,
} from "@airlock/core/artifact";

const FINDINGS: ArtifactExpectation = {
  kind: "json",
  schema: {
    type: "object",
    additionalProperties: false,
    required: ["done"],
    properties: { done: { type: "boolean" }, notes: { type: "string" } },
  },
  completion: { field: "done", value: true },
};
const REPORT: ArtifactExpectation = { kind: "report", sections: ["Summary", "Tests"] };

function outcome(result: ArtifactResult): string {
  return result.ok ? "accepted" : `${result.errorClass}: ${result.reason}`;
}

describe("a final output", () => {
  test("becomes an artifact with its content unchanged", () => {
    expect(validateArtifact({ kind: "text" }, " done\n")).toEqual({
      ok: true,
      artifact: { kind: "text", content: " done\n" },
    });
  });

  test.each<[ArtifactExpectation, string, string]>([
    [{ kind: "text" }, " \n", "ARTIFACT_INVALID: the output is empty"],
    [{ kind: "json" }, "[1]", "accepted"],
    [
      { kind: "json" },
      '{"a":1',
      "ARTIFACT_INVALID: the output is not one strict JSON value: JSON_TRUNCATED at offset 6",
    ],
    [
      { kind: "json" },
      "```json\n{}\n```",
      "ARTIFACT_INVALID: the output is not one strict JSON value: JSON_SYNTAX at offset 0",
    ],
    [FINDINGS, '{"done":true,"notes":"x"}', "accepted"],
    [
      FINDINGS,
      '{"done":false}',
      `ARTIFACT_INVALID: the output's field "done" does not say that it is complete`,
    ],
    [
      FINDINGS,
      '{"notes":"x"}',
      "ARTIFACT_INVALID: the expected schema refuses the output at #/required (required: done)",
    ],
    [
      FINDINGS,
      '{"done":true,"more":1}',
      "ARTIFACT_INVALID: the expected schema refuses the output at #/additionalProperties (additionalProperties)",
    ],
    [
      { kind: "json", completion: { field: "toString", value: null } },
      "{}",
      `ARTIFACT_INVALID: the output's field "toString" does not say that it is complete`,
    ],
    [REPORT, "# Summary\nFixed.\n\n## Tests\n- all pass\n", "accepted"],
    [REPORT, "# Report\n## **summary:** ##\nFixed.\n## Tests\n### Unit\npass", "accepted"],
    [REPORT, "# Summary\nFixed.", `ARTIFACT_INVALID: the report has no section "Tests"`],
    [
      REPORT,
      "# Summary\n\n# Tests\n ok",
      `ARTIFACT_INVALID: nothing stands in the report's section "Summary"`,
    ],
    [REPORT, "# Summary\nx\n```\n# Tests\nok\n```", `ARTIFACT_INVALID: the report has no section "Tests"`],
    [
      REPORT,
      "# Summary\nx\n# Tests\n```\n```\n",
      `ARTIFACT_INVALID: nothing stands in the report's section "Tests"`,
    ],
    [REPORT, "Summary\nx\n#Tests\nx", `ARTIFACT_INVALID: the report has no section "Summary", "Tests"`],
  ])("measured by %j: %j", (expectation, text, expected) => {
    expect(outcome(validateArtifact(expectation, text))).toBe(expected);
  });
});

describe("an expectation", () => {
  test.each<[unknown, string]>([
    [
      { kind: "patch" },
      "must be an object whose kind is text, json or report (patch and manifest are not supported yet)",
    ],
    [
      { kind: "manifest", files: [] },
      "must be an object whose kind is text, json or report (patch and manifest are not supported yet)",
    ],
    [{ kind: "text", sections: [] }, 'Unrecognized key: "sections"'],
    [{ kind: "report", sections: [] }, "Too small: expected array to have >=1 items"],
    [{ kind: "json", schema: { type: "objekt" } }, "not a usable JSON Schema 2020-12"],
    [{ kind: "json", schema: { unknownKeyword: 1 } }, "not a usable JSON Schema 2020-12"],
  ])("%j is refused with the reason", (input, message) => {
    const parsed = artifactExpectationSchema.safeParse(input);
    expect(parsed.success).toBe(false);
    expect(parsed.error?.issues[0]?.message).toContain(message);
  });
});
