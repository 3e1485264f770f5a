import { h } from "preact";
import { renderToString } from "preact-render-to-string";
import { describe, expect, test } from "vitest";
import fc from "fast-check";
import { Argv } from "../../src/page/part/argv.tsx";
import { diffLines } from "../../src/page/part/diff-lines.ts";
import { Diff } from "../../src/page/part/diff.tsx";
import { Labels, RunLink } from "../../src/page/part/facts.tsx";
import { State } from "../../src/page/part/badge.tsx";
import { span } from "../../src/page/part/time.tsx";
import { hidesSomething, piecesOf, Visible } from "../../src/page/part/visible.tsx";
import { errorPage } from "../../src/page/error-page.tsx";
import { loginPage } from "../../src/page/login-page.tsx";

const TAGS = `"><script>hit()</script><img src=x onerror=hit()>' onmouseover='hit()`;

/** Everything that makes text more than text is gone from it, and no attribute ended early. */
function expectInert(html: string): void {
  expect(html).not.toMatch(/<(script|img)[ >](?!src="\/assets)/);
  expect(html).not.toMatch(/<[^>]*\son\w+=/);
}

describe("text of any origin is inert", () => {
  test.each<readonly [string, (text: string) => string]>([
    ["a value", (text) => renderToString(h(Visible, { text }))],
    ["a state", (state) => renderToString(h(State, { state }))],
    ["labels", (text) => renderToString(h(Labels, { labels: { [text]: text } }))],
    ["a run's link", (run) => renderToString(h(RunLink, { run }))],
    ["an argument", (text) => renderToString(h(Argv, { argv: [text, text], cwd: text }))],
    [
      "a diff",
      (text) =>
        renderToString(h(Diff, { text: `--- ${text}\n@@ -1 +1 @@\n-${text}\n+${text}`, label: text })),
    ],
  ])("as %s", (_, make) => {
    expectInert(make(TAGS));
  });

  test("in the place that a login leads to, and in an error's words", () => {
    expectInert(
      loginPage({ problem: null, next: TAGS }).replaceAll(/<(script|img) src="\/assets[^>]*>/g, ""),
    );
    expectInert(errorPage({ status: 400, title: TAGS }).replaceAll(/<(script|img) src="\/assets[^>]*>/g, ""));
  });
});

describe("what a reader would not see is marked", () => {
  test.each([
    ["a control", "a\u0007b", ["U+0007"]],
    ["an override of direction", "a\u202Eb", ["U+202E"]],
    ["an isolate", "\u2066x\u2069", ["U+2066", "U+2069"]],
    ["nothing of width", "a\u200Bb", ["U+200B"]],
    ["a blank that is none", "a\u00A0b", ["U+00A0"]],
    ["a filler that looks like a blank", "a\u3164b", ["U+3164"]],
    ["a blank of Braille", "a\u2800b", ["U+2800"]],
    ["a tag beyond the first plane", "a\u{E0041}b", ["U+E0041"]],
    ["half a surrogate pair", "a\uD800b", ["U+D800"]],
    ["many of one kind, counted", "a\u200B\u200B\u200Bb", ["U+200B×3"]],
    ["a line end within one value", "a\nb", ["U+000A"]],
    ["a tab within one value", "a\tb", ["U+0009"]],
    ["a carriage return", "a\rb", ["U+000D"]],
  ])("%s", (_, text, marks) => {
    const found = piecesOf(text, "marked").flatMap((piece) => (piece.kind === "mark" ? [piece.label] : []));
    expect(found).toEqual(marks);
  });

  test("plain text of any script has no mark, nor have lines and tabs where lines are kept", () => {
    expect(piecesOf("naïve Ωμέγα 漢字 😀 שלום", "marked").map(({ kind }) => kind)).toEqual(["text"]);
    expect(hidesSomething("a\n\tb")).toBe(false);
  });

  test("nothing but marked characters is ever left out", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const shown = piecesOf(text, "marked").map((piece) => (piece.kind === "text" ? piece.text : ""));
        const unseen =
          /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Zs}\p{Co}\p{Cn}\p{Cs}\p{Default_Ignorable_Code_Point}\u2800]/gu;
        expect(shown.join("")).toBe(text.replace(unseen, (one) => (one === " " ? " " : "")));
      }),
    );
  });

  test("an empty argument has a box of its own that says so", () => {
    const html = renderToString(h(Argv, { argv: ["rm", "", "a b"], cwd: null }));
    expect(html.match(/<li>.*?<\/li>/g)).toEqual([
      "<li><code><bdi>rm</bdi></code></li>",
      '<li><code><span class="mark">empty</span></code></li>',
      "<li><code><bdi>a b</bdi></code></li>",
    ]);
  });
});

describe("a diff", () => {
  test("has no header inside a hunk, whatever its lines look like", () => {
    const text = "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n--- a/y\n+++ b/y\n same\n--- a/z\n";
    expect(diffLines(text).map(({ kind }) => kind)).toEqual([
      "file",
      "file",
      "hunk",
      "removed",
      "added",
      "same",
      "file",
    ]);
  });

  test("whose hunk says nothing of its size has no header but that of the next hunk", () => {
    const text = "--- a/x\n+++ b/x\n@@\n--- a/y\n@@ -1 +1 @@\n+x\n\\ No newline at end of file";
    expect(diffLines(text).map(({ kind }) => kind)).toEqual([
      "file",
      "file",
      "hunk",
      "removed",
      "hunk",
      "added",
      "same",
    ]);
  });
});

test.each([
  [-5, "0 s"],
  [999, "1 s"],
  [61_000, "1 min 1 s"],
  [3_600_000, "1 h"],
  [90_061_000, "1 d 1 h"],
])("%i ms are told as %s", (milliseconds, text) => {
  expect(span(milliseconds)).toBe(text);
});
