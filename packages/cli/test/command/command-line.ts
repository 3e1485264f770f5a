import { COMMANDS, runCommandLine } from "../../src/command/index.ts";
import type { Screen } from "../../src/view/index.ts";

export interface Said {
  readonly code: number;
  /** lines of both screens, in their order */
  readonly said: string;
}

/** `airlock …` as somebody types it in a folder, away from a terminal. */
export async function commandLine(
  words: readonly string[],
  {
    folder,
    environment = {},
  }: { readonly folder: string; readonly environment?: Readonly<Record<string, string>> },
): Promise<Said> {
  const lines: string[] = [];
  const screen: Screen = {
    terminal: false,
    columns: () => 100,
    print: (line) => void lines.push(line),
    write: (text) => void lines.push(text),
    style: (_, text) => text,
  };
  const code = await runCommandLine(COMMANDS, words, { environment, folder, out: screen, errors: screen });
  return { code, said: lines.join("\n") };
}
