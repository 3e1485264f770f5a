/** A program's own options. What is not here can't be read: abbreviations, glued values, runs of short flags. */
export interface OptionTable {
  readonly alone: ReadonlySet<string>;
  /** Followed by its value as the next word; a long one also by `=` and the value. */
  readonly valued: ReadonlySet<string>;
}

export function optionTable(alone: string, valued = ""): OptionTable {
  return { alone: wordSet(alone), valued: wordSet(valued) };
}

export function wordSet(text: string): ReadonlySet<string> {
  return new Set(text.split(" ").filter((word) => word !== ""));
}

/** Where the words after the options begin; null when an option can't be read. */
export function skipOptions(words: readonly string[], start: number, table: OptionTable): number | null {
  let at = start;
  for (;;) {
    const width = optionWidth(words, at, table);
    if (width === null) return null;
    if (width === 0) return at;
    if (words[at] === "--") return at + 1;
    at += width;
  }
}

/** How many words the option at a place takes: 0 when none stands there, null when it can't be read. */
export function optionWidth(words: readonly string[], at: number, table: OptionTable): 0 | 1 | 2 | null {
  const word = words[at];
  if (word === undefined || !word.startsWith("-")) return 0;
  if (word === "--" || table.alone.has(word)) return 1;
  if (table.valued.has(word)) return at + 1 < words.length ? 2 : null;
  const equals = word.indexOf("=");
  return word.startsWith("--") && equals !== -1 && table.valued.has(word.slice(0, equals)) ? 1 : null;
}
