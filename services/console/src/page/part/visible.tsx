/** @jsxRuntime automatic @jsxImportSource preact */
// Text of any origin in, the same text out with everything marked that a reader would not see or would see in a wrong place:
// controls, format and direction characters, white space other than the plain blank, lone surrogates. Nothing is left out.
import type { VNode } from "preact";

const UNSEEN =
  /([\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Zs}\p{Co}\p{Cn}\p{Cs}\p{Default_Ignorable_Code_Point}\u2800])\1*/gu;

/** Line ends as they are for a text of lines; marked where a line end is part of one value. */
export type Lines = "kept" | "marked";

const PLAIN: Readonly<Record<Lines, ReadonlySet<string>>> = {
  kept: new Set([" ", "\n", "\t"]),
  marked: new Set([" "]),
};

type Piece = { readonly kind: "text"; readonly text: string } | Mark;
interface Mark {
  readonly kind: "mark";
  readonly label: string;
  /** what follows the mark so that the layout stays: a line end */
  readonly after: string;
}

export function piecesOf(text: string, lines: Lines): readonly Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  for (const found of text.matchAll(UNSEEN)) {
    const [run, character = ""] = found;
    if (PLAIN[lines].has(character)) continue;
    if (found.index > from) pieces.push({ kind: "text", text: text.slice(from, found.index) });
    pieces.push(markOf(character, run.length / character.length));
    from = found.index + run.length;
  }
  if (from < text.length) pieces.push({ kind: "text", text: text.slice(from) });
  return pieces;
}

function markOf(character: string, count: number): Mark {
  const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
  const times = count === 1 ? "" : `×${count}`;
  return { kind: "mark", label: `U+${code}${times}`, after: character === "\n" ? "\n" : "" };
}

export function hidesSomething(text: string): boolean {
  return piecesOf(text, "kept").some(({ kind }) => kind === "mark");
}

/** One value on one line, or `lines="kept"` for a text. Its direction never reaches what stands beside it. */
export function Visible({
  text,
  lines = "marked",
}: {
  readonly text: string;
  readonly lines?: Lines;
}): VNode {
  return (
    <bdi>
      {piecesOf(text, lines).map((piece) =>
        piece.kind === "text" ? (
          piece.text
        ) : (
          <>
            <span class="mark">{piece.label}</span>
            {piece.after}
          </>
        ),
      )}
    </bdi>
  );
}
