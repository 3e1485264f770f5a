import type { JsonObject } from "../../json/index.ts";
import { normalizeWorkspacePath } from "../../tool/index.ts";
import { anyGlob } from "../globs.ts";

export interface CommandPattern {
  readonly exe: string;
  readonly sub?: readonly string[] | undefined;
  readonly flags?:
    | {
        /** `--name` stands for itself alone, `--name=` for `--name=value`. A value after a blank is a positional. */
        readonly allow?: readonly string[] | undefined;
        /** Allowed, and must all stand before the first positional. */
        readonly require?: readonly string[] | undefined;
        readonly forbid?: readonly string[] | undefined;
      }
    | undefined;
  readonly positionals?:
    | { readonly max?: number | undefined; readonly allow?: readonly string[] | undefined }
    | undefined;
}

export type CommandTest = (args: JsonObject) => boolean;

/** Tests an exact, closed shape: whatever the pattern does not name is no match. For rules that let calls run. */
export function permittedCommand(pattern: CommandPattern): CommandTest {
  const flags = new Set([...(pattern.flags?.allow ?? []), ...(pattern.flags?.require ?? [])]);
  const positionalAllowed = anyGlob(pattern.positionals?.allow ?? []);
  const maxPositionals = pattern.positionals?.max ?? Number.POSITIVE_INFINITY;
  return (args) => {
    const rest = wordsAfterName(pattern, args);
    if (rest === null) return false;
    const split = splitWords(rest);
    const given = [...split.leadingFlags, ...split.laterFlags];
    return (
      given.every((flag) => flagAllowed(flag, flags)) &&
      !given.some((flag) =>
        (pattern.flags?.forbid ?? []).some((forbidden) => couldBeFlag(flag, forbidden)),
      ) &&
      (pattern.flags?.require ?? []).every((flag) => split.leadingFlags.includes(flag)) &&
      split.positionals.length <= maxPositionals &&
      split.positionals.every((word) => isSafeValue(word)) &&
      (pattern.positionals?.allow === undefined || split.positionals.every((word) => positionalAllowed(word)))
    );
  };
}

/** Tests as broadly as it can be meant: by base name, anywhere in the words. For rules that stop calls. */
export function restrictedCommand(pattern: CommandPattern): CommandTest {
  return (args) => {
    const argv = readArgv(args);
    if (argv === null) return true;
    const [name = "", ...rest] = argv;
    if (name.slice(name.lastIndexOf("/") + 1) !== pattern.exe) return false;
    if (pattern.sub !== undefined && !rest.some((word) => pattern.sub?.includes(word))) return false;
    const forbidden = pattern.flags?.forbid;
    return forbidden === undefined || rest.some((word) => forbidden.some((flag) => couldBeFlag(word, flag)));
  };
}

function wordsAfterName(pattern: CommandPattern, args: JsonObject): readonly string[] | null {
  const argv = readArgv(args);
  // A name with a slash never equals an exe: a look-alike in the workspace is another program.
  if (argv === null || argv[0] !== pattern.exe || !argv.every(isVisible) || !hasSafeFolder(args)) return null;
  if (pattern.sub === undefined) return argv.slice(1);
  return pattern.sub.includes(argv[1] ?? "") ? argv.slice(2) : null;
}

function readArgv(args: JsonObject): readonly string[] | null {
  const argv = Object.hasOwn(args, "argv") ? args["argv"] : undefined;
  if (!Array.isArray(argv) || argv.length === 0) return null;
  const words: string[] = [];
  for (const word of argv) {
    if (typeof word !== "string") return null;
    words.push(word);
  }
  return words;
}

function hasSafeFolder(args: JsonObject): boolean {
  if (!Object.hasOwn(args, "cwd")) return true;
  const cwd = args["cwd"];
  return typeof cwd === "string" && normalizeWorkspacePath(cwd) !== null;
}

interface SplitWords {
  readonly leadingFlags: string[];
  readonly laterFlags: string[];
  readonly positionals: string[];
}

function splitWords(words: readonly string[]): SplitWords {
  const split: SplitWords = { leadingFlags: [], laterFlags: [], positionals: [] };
  let optionsEnded = false;
  for (const word of words) {
    if (word === "--" && !optionsEnded) optionsEnded = true;
    else if (optionsEnded || !word.startsWith("-")) split.positionals.push(word);
    else if (split.positionals.length === 0) split.leadingFlags.push(word);
    else split.laterFlags.push(word);
  }
  return split;
}

function flagAllowed(word: string, allowed: ReadonlySet<string>): boolean {
  const equals = word.indexOf("=");
  if (equals === -1) return allowed.has(word);
  return allowed.has(word.slice(0, equals + 1)) && isSafeValue(word.slice(equals + 1));
}

/** Whether a word is this flag, an abbreviation of it, has a value glued to it, or holds it among short flags. */
function couldBeFlag(word: string, flag: string): boolean {
  const name = word.split("=", 1)[0] ?? "";
  if (word.startsWith(flag)) return true;
  if (flag.startsWith("--")) return name.length > 2 && flag.startsWith(name);
  return /^-[^-]/.test(word) && word.includes(flag.slice(1));
}

/** Each part between `=`, `:` and blanks stays inside the workspace when it is read as a path. */
function isSafeValue(word: string): boolean {
  if (word === "" || word.startsWith("-")) return false;
  return word
    .split(/[=:\s]/)
    .every((part) => !part.startsWith("/") && !part.startsWith("~") && !part.split("/").includes(".."));
}

function isVisible(word: string): boolean {
  return !/[\p{Cc}\p{Cf}\p{Surrogate}\p{Zl}\p{Zp}]/u.test(word);
}
