import type { Screen } from "../../src/view/index.ts";

/** A screen that remembers what was written on it. */
export function paper(terminal = false): Screen & { readonly text: () => string } {
  let written = "";
  return {
    terminal,
    columns: () => 80,
    print: (line) => {
      written += `${line}\n`;
    },
    write: (text) => {
      written += text;
    },
    style: (_, text) => text,
    text: () => written,
  };
}
