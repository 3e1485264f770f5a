import { plainCell } from "../view/index.ts";

const MOST_CHARACTERS = 200;

/**
 * Text that others chose as a code span, in which no markup, link, mention or HTML counts. It may stand in a table: a bar
 * would end the cell, and a backslash before it would undo its escape, so a broken bar stands for it.
 */
export function codeSpan(text: string): string {
  const characters = Array.from(plainCell(text).replaceAll(/\p{Cf}|\p{Surrogate}/gu, ""));
  const plain = characters.slice(0, MOST_CHARACTERS).join("").replaceAll("|", "¦").trim();
  const shown = characters.length > MOST_CHARACTERS ? `${plain}…` : plain;
  if (shown === "") return "-";
  const longest = Math.max(0, ...(shown.match(/`+/g) ?? []).map((run) => run.length));
  const fence = "`".repeat(longest + 1);
  return longest === 0 ? `${fence}${shown}${fence}` : `${fence} ${shown} ${fence}`;
}
