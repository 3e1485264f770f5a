import { stripVTControlCharacters, styleText } from "node:util";

type Style = Parameters<typeof styleText>[0];

/** Where lines go. Only a terminal is redrawn; colours need one, too, and the absence of NO_COLOR. */
export interface Screen {
  readonly terminal: boolean;
  columns(): number;
  print(line: string): void;
  /** Text as it is, without a line end: control sequences for a terminal, parts of a document. */
  write(text: string): void;
  style(style: Style, text: string): string;
}

const DEFAULT_COLUMNS = 100;

export function createScreen(stream: NodeJS.WriteStream): Screen {
  return {
    terminal: stream.isTTY,
    columns: () => (stream.isTTY && stream.columns > 0 ? stream.columns : DEFAULT_COLUMNS),
    print: (line) => void stream.write(`${line}\n`),
    write: (text) => void stream.write(text),
    style: (style, text) => styleText(style, text, { stream }),
  };
}

/**
 * Text that others chose (a model's report, a call id) may hold sequences that rewrite the terminal:
 * only printable characters, line ends and tabs are left of it.
 */
export function plainText(text: string): string {
  // eslint-disable-next-line no-control-regex -- control characters are what this is about
  return stripVTControlCharacters(text).replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, "");
}

/** The same for one cell of a table: no line ends, either. */
export function plainCell(text: string): string {
  return plainText(text).replaceAll(/\s+/g, " ").trim();
}
