import { describe, expect, test } from "vitest";
import type { PathScope } from "@airlock/core/policy";
import { CHECK_FILES } from "@airlock/core/tool";
import {
  artifactCheck,
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
      "ARTIFACT_INVALID: the expected schema refuses the output at the top level (required: must have required property 'done')",
    ],
    [
      FINDINGS,
      '{"done":true,"more":1}',
      "ARTIFACT_INVALID: the expected schema refuses the output at the top level (additionalProperties: must NOT have additional properties: only done, notes)",
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

const EDIT = "--- a/src/a.ts\n+++ b/src/a.ts\n@@ -1 +1 @@\n-a\n+b\n";
const OTHER = EDIT.replaceAll("src/a.ts", "src/b.ts");
const WRITES: PathScope = {
  allows: (path) => path.startsWith("src/"),
  forbids: (path) => path.endsWith(".env"),
  empty: false,
};
const unusable = (detail: string): string =>
  `ARTIFACT_INVALID: the output is not a patch that can be applied: ${detail}`;
const outside = (files: string): string =>
  `ARTIFACT_INVALID: the patch reaches outside the paths that policy lets the run write, in its file ${files}`;

describe("a patch", () => {
  const patch = (files: readonly string[] = []): ArtifactExpectation => ({
    kind: "patch",
    files: [...files],
    apply: false,
  });

  test.each<[string, ArtifactExpectation, string, string]>([
    ["that changes what is intended, and more", patch(["src/a.ts"]), EDIT + OTHER, "accepted"],
    ["with no file named", patch(), EDIT, "accepted"],
    [
      "that leaves an intended file out",
      patch(["src/a.ts", "src/c.ts"]),
      EDIT,
      `ARTIFACT_INVALID: the patch does not change "src/c.ts"`,
    ],
    ["outside the scope", patch(), EDIT + EDIT.replaceAll("src/a.ts", "lib/a.ts"), outside("2")],
    ["of a forbidden file", patch(), EDIT.replaceAll("a.ts", ".env") + OTHER, outside("1")],
    [
      "that moves a file out of the scope",
      patch(),
      "diff --git a/src/a.ts b/x.ts\nsimilarity index 100%\nrename from src/a.ts\nrename to x.ts\n",
      outside("1"),
    ],
    ["in prose", patch(), `Here it is:\n${EDIT}`, unusable("line 1: this is no part of a unified diff")],
    ["in a code fence", patch(), `\`\`\`diff\n${EDIT}\`\`\`\n`, unusable("line 1: leave out the code fence")],
    [
      "that makes a link",
      patch(),
      "diff --git a/src/a b/src/a\nnew file mode 120000\n--- /dev/null\n+++ b/src/a\n@@ -0,0 +1 @@\n+/etc/passwd\n",
      unusable("file 1 of the patch: only the modes 100644 and 100755 are supported"),
    ],
    [
      "that makes a submodule",
      patch(),
      "diff --git a/src/a b/src/a\nnew file mode 160000\n--- /dev/null\n+++ b/src/a\n@@ -0,0 +1 @@\n+x\n",
      unusable("file 1 of the patch: only the modes 100644 and 100755 are supported"),
    ],
    [
      "that sets a special mode",
      patch(),
      "diff --git a/src/a b/src/a\nold mode 100644\nnew mode 104755\n",
      unusable("file 1 of the patch: only the modes 100644 and 100755 are supported"),
    ],
    [
      "that copies",
      patch(),
      "diff --git a/etc/passwd b/src/a\nsimilarity index 100%\ncopy from /etc/passwd\ncopy to src/a\n",
      unusable("line 3: copies are not supported; create the file instead"),
    ],
    [
      "whose headers disagree",
      patch(),
      `diff --git a/src/b.ts b/src/b.ts\n${EDIT}`,
      unusable("file 1 of the patch: its headers name different files"),
    ],
    [
      "whose counts lie",
      patch(),
      EDIT.replace("@@ -1 +1 @@", "@@ -1,2 +1,2 @@"),
      unusable("the last hunk has fewer lines than its header says"),
    ],
    ["that climbs", patch(), EDIT.replaceAll("src/a.ts", "src/../../x"), "refused"],
  ])("%s", (_, expectation, text, expected) => {
    const found = outcome(validateArtifact(expectation, text, WRITES));
    if (expected === "refused") expect(found).toContain("`..`");
    else expect(found).toBe(expected);
  });

  test("is refused where no policy says what may be written", () => {
    expect(outcome(validateArtifact(patch(), EDIT))).toBe(outside("1"));
  });
});

test("a manifest leaves the judgement to the workspace", () => {
  const expectation: ArtifactExpectation = { kind: "manifest", files: [{ path: "dist/x.js" }] };
  expect(outcome(validateArtifact(expectation, "built"))).toBe("accepted");
  expect(artifactCheck(expectation, "built")).toEqual({
    manifest: CHECK_FILES,
    args: { files: [{ path: "dist/x.js" }] },
  });
});

describe("an expectation", () => {
  test.each<[unknown, string]>([
    [{ kind: "diff" }, "must be an object whose kind is text, json, report, patch or manifest"],
    [{ kind: "patch", files: ["/etc/passwd"] }, "must be a file's path below the workspace root"],
    [{ kind: "patch", files: ["src/./a.ts"] }, "must be a file's path below the workspace root"],
    [{ kind: "patch", apply: "yes" }, "expected boolean"],
    [{ kind: "manifest", files: [] }, "Too small: expected array to have >=1 items"],
    [{ kind: "manifest", files: ["dist/x.js"] }, "expected object"],
    [{ kind: "manifest", files: [{ path: "../x" }] }, "must be a file's path below the workspace root"],
    [{ kind: "manifest", files: [{ path: "x", sha256: "AB" }] }, "must be a SHA-256 in lower-case hex"],
    [{ kind: "manifest", files: [{ path: "x" }, { path: "x" }] }, "must not name a file twice"],
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
