import fc from "fast-check";
import { expect, test } from "vitest";
import { markdownText } from "../../src/report/index.ts";
import { callOf, reportOf, runOf } from "./report-case.ts";

test("a report in Markdown says how the run ended, each call with its decision, sizes and the diff stat", () => {
  const calls = [
    callOf(0),
    callOf(1, {
      state: "DENIED",
      decision: "forbid",
      rules: ["a", "b"],
      errorClass: "POLICY_FORBIDDEN",
      resultBytes: null,
    }),
  ];
  expect(markdownText(reportOf(runOf(calls), { paths: ["src/a.js"] }))).toBe(
    [
      "### ✅ Airlock run `r00000000000000000000`: `completed`",
      "|  |  |\n| --- | --- |\n| Outcome | `candidate_complete` |\n| Used | 1 turns, 2 calls (0 with effects), 7 output tokens |\n| Artifact | `text`, 2 bytes |\n| Diff | 1 files |",
      "#### Calls",
      "|  | Call | Tool | State | Decision | Rules | Error | Bytes |\n| --- | --- | --- | --- | --- | --- | --- | --- |\n| ✅ | `1.1.0` | `run_command` | `EXECUTED` | `allow` | `reads` | - | 12 |\n| ❌ | `1.1.1` | `run_command` | `DENIED` | `forbid` | `a`, `b` | `POLICY_FORBIDDEN` | - |",
      "#### Changes",
      "| File | Added | Deleted |\n| --- | --- | --- |\n| `src/a.js` | +1 |  |",
    ].join("\n\n"),
  );
});

/** What is left of the text once its code spans are taken out, as a Markdown reader finds them. */
function outsideCode(text: string): string {
  return text.replaceAll(/(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)/g, "C");
}

test("no tool name, path or reason gets out of its code span or its cell", () => {
  const plain = outsideCode(markdownText(hostileReport("x")));
  const bars = markdownText(hostileReport("x")).split("|").length;
  const pieces = [
    "`",
    "``",
    "|",
    "\\",
    "\n",
    "\r\n",
    "<script>",
    "@all",
    "[x](http://e)",
    "# ",
    "a",
    " ",
    "\u202e",
    "\u001b[2J",
  ];
  const hostile = fc
    .array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 12 })
    .map((parts) => `a${parts.join("")}a`);
  fc.assert(
    fc.property(
      fc.oneof(
        hostile,
        fc.string({ minLength: 1, unit: "binary" }).map((text) => `a${text}a`),
      ),
      (text) => {
        const written = markdownText(hostileReport(text));
        expect(outsideCode(written)).toBe(plain);
        // a table is cut into cells before anything in them is read
        expect(written.split("|").length).toBe(bars);
      },
    ),
    { numRuns: 500 },
  );
});

function hostileReport(text: string) {
  const call = callOf(0, { tool: text, rules: [text], errorClass: text, decision: text });
  return reportOf(runOf([call], { reason: text, artifact: { kind: text, content: "" } }), { paths: [text] });
}
