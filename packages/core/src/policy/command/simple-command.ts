import { wordSet } from "./options.ts";
import { isReadable } from "./readable-text.ts";

const MAX_BYTES = 8_192;
const MAX_WORDS = 256;

/** One piece of a word: plain characters, single quotes, or double quotes in which nothing is expanded. */
const PIECE = /([A-Za-z0-9_.,:@%+=/-]+)|'([^'\p{Cc}\p{Cf}]*)'|"([^"\\$`!\p{Cc}\p{Cf}]*)"/uy;
const BLANKS = /[ \t]+/y;

/** A shell would not start a program for these, or would change its own state. */
const NOT_A_PROGRAM: ReadonlySet<string> = wordSet(
  "if then else elif fi for while until do done case esac in function select time coproc repeat foreach end " +
    "nocorrect noglob : . cd pushd popd dirs export unset set shopt declare typeset local readonly integer float let read " +
    "mapfile readarray getopts source eval exec command builtin enable alias unalias hash trap umask ulimit shift return " +
    "exit logout break continue wait jobs fg bg disown suspend times caller bind complete compgen compopt fc history help " +
    "type",
);

/**
 * Splits a text into argv when every shell would read it as the same one command with the same words: no
 * expansion, no redirect, no second command. `null` for anything else.
 */
export function splitSimpleCommand(text: string): readonly string[] | null {
  if (Buffer.byteLength(text, "utf8") > MAX_BYTES || !isReadable(text.replaceAll("\t", " "))) return null;
  const words: string[] = [];
  let at = skip(text, 0);
  // A name that begins with % is a job of the shell, and no program is named like a flag.
  const firstIsPlain = /^(?![%-])[A-Za-z0-9_.,:@%+/-]+(?:[ \t]|$)/.test(text.slice(at));
  while (at < text.length) {
    const word = readWord(text, at);
    if (word === null || words.length === MAX_WORDS) return null;
    words.push(word.value);
    const next = skip(text, word.end);
    if (next === word.end && next < text.length) return null;
    at = next;
  }
  const usable = firstIsPlain && !NOT_A_PROGRAM.has(words[0] ?? "");
  return usable ? words : null;
}

function readWord(text: string, start: number): { readonly value: string; readonly end: number } | null {
  const pieces: string[] = [];
  let end = start;
  PIECE.lastIndex = end;
  for (let piece = PIECE.exec(text); piece !== null; piece = PIECE.exec(text)) {
    pieces.push(piece[1] ?? piece[2] ?? piece[3] ?? "");
    end = PIECE.lastIndex;
  }
  return pieces.length === 0 ? null : { value: pieces.join(""), end };
}

function skip(text: string, at: number): number {
  BLANKS.lastIndex = at;
  return BLANKS.test(text) ? BLANKS.lastIndex : at;
}
