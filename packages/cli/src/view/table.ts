import { stripVTControlCharacters } from "node:util";

/** Left-aligned columns two spaces apart; cells may hold colours. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, ...rows];
  const widths = head.map((_, at) => Math.max(...lines.map((line) => width(line[at] ?? ""))));
  return lines
    .map((line) =>
      line
        .map((cell, at) => cell + " ".repeat(Math.max(0, (widths[at] ?? 0) - width(cell))))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

/** Cuts a line to a terminal's width, so that redrawing can count lines. */
export function cutLine(line: string, columns: number): string {
  if (width(line) <= columns) return line;
  return `${Array.from(stripVTControlCharacters(line))
    .slice(0, Math.max(0, columns - 1))
    .join("")}…`;
}

function width(text: string): number {
  return Array.from(stripVTControlCharacters(text)).length;
}
