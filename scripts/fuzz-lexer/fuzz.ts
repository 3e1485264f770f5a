// Takes a seed and a number of texts, gives each that the lexer took for one simple command and bash did not read as
// the same words.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { splitSimpleCommand } from "@airlock/core/policy";
import { createRandom } from "../../test/support/random.ts";
import { readWithBash, type BashReading } from "./bash-words.ts";
import { candidate } from "./candidates.ts";

export interface LexerFinding {
  readonly text: string;
  readonly lexer: readonly string[];
  readonly bash: BashReading | null;
}

export interface LexerFuzzResult {
  /** All texts that were made; those accepted went to bash. */
  readonly tried: number;
  readonly findings: readonly LexerFinding[];
}

/** Goes on until so many texts were accepted. */
export async function fuzzLexer(input: {
  readonly seed: number;
  readonly accepted: number;
}): Promise<LexerFuzzResult> {
  const random = createRandom(input.seed);
  const accepted: { readonly text: string; readonly lexer: readonly string[] }[] = [];
  let tried = 0;
  while (accepted.length < input.accepted) {
    const text = candidate(random);
    const lexer = splitSimpleCommand(text);
    tried += 1;
    if (lexer !== null) accepted.push({ text, lexer });
  }
  const folder = await mkdtemp(join(tmpdir(), "airlock-lexer-"));
  try {
    const readings = await readWithBash(
      accepted.map(({ text }) => text),
      folder,
    );
    const findings = accepted
      .map(({ text, lexer }, at) => ({ text, lexer, bash: readings[at] ?? null }))
      .filter(({ lexer, bash }) => bash?.commands !== 1 || !isDeepStrictEqual(bash.words, lexer));
    return { tried, findings };
  } finally {
    await rm(folder, { recursive: true });
  }
}
