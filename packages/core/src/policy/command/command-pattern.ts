import { anyGlob, type PathTest } from "../globs.ts";
import { assignmentsAllowed, isDangerousVariable } from "./environment.ts";
import { baseName, type CommandPart } from "./part.ts";
import type { ProgramFacts } from "./program-facts.ts";
import { factsOf } from "./programs.ts";
import { isSafeValue } from "./safe-value.ts";

export interface CommandPattern {
  readonly exe: string;
  readonly sub?: readonly string[] | undefined;
  readonly flags?:
    | {
        /** `--name` stands for itself alone, `--name=` for `--name=value`. */
        readonly allow?: readonly string[] | undefined;
        /** What values a flag takes: `-n` as the next word, `--name=` after its equals sign. */
        readonly values?: Readonly<Record<string, readonly string[]>> | undefined;
        /** Allowed, and must all stand before the first positional. */
        readonly require?: readonly string[] | undefined;
        readonly forbid?: readonly string[] | undefined;
      }
    | undefined;
  readonly positionals?:
    | { readonly max?: number | undefined; readonly allow?: readonly string[] | undefined }
    | undefined;
  /** Names of variables that `env` may set or remove. */
  readonly environment?: readonly string[] | undefined;
}

export type PartTest = (part: CommandPart) => boolean;

/** Tests an exact, closed shape: whatever the pattern does not name is no match. For rules that let calls run. */
export function permittedCommand(pattern: CommandPattern): PartTest {
  const shape = compileShape(pattern);
  const subs = pattern.sub === undefined ? null : new Set(pattern.sub);
  const variables = new Set((pattern.environment ?? []).filter((name) => !isDangerousVariable(name)));
  return ({ argv, assignments, undetermined }) => {
    // A name with a slash never equals an exe: a look-alike in the workspace is another program.
    if (undetermined || argv[0] !== pattern.exe) return false;
    if (subs !== null && !subs.has(argv[1] ?? "")) return false;
    return assignmentsAllowed(assignments, variables) && wordsFit(shape, argv, subs === null ? 1 : 2);
  };
}

/** Tests as broadly as it can be meant: by base name, anywhere in the words. For rules that stop calls. */
export function restrictedCommand(pattern: CommandPattern): PartTest {
  const exe = baseName(pattern.exe);
  const subs = pattern.sub === undefined ? null : new Set(pattern.sub);
  const forbidden = pattern.flags?.forbid;
  return ({ argv }) => {
    const [name = "", ...rest] = argv;
    if (baseName(name) !== exe) return false;
    if (subs !== null && !rest.some((word) => subs.has(word))) return false;
    return forbidden === undefined || rest.some((word) => forbidden.some((flag) => couldBeFlag(word, flag)));
  };
}

interface Shape {
  readonly alone: ReadonlySet<string>;
  /** By flag, with the `=` where the value stands in the same word. */
  readonly values: ReadonlyMap<string, PathTest>;
  readonly required: ReadonlySet<string>;
  readonly forbidden: readonly string[];
  readonly maxPositionals: number;
  readonly positional: PathTest;
  readonly facts: ProgramFacts;
}

function compileShape({ exe, flags, positionals }: CommandPattern): Shape {
  const allowed = flags?.allow ?? [];
  const required = flags?.require ?? [];
  const anything = allowed.filter((flag) => flag.endsWith("=")).map((flag) => [flag, anyValue] as const);
  const listed = Object.entries(flags?.values ?? {}).map(([flag, globs]) => [flag, globTest(globs)] as const);
  return {
    alone: new Set([...allowed.filter((flag) => !flag.endsWith("=")), ...required]),
    values: new Map([...anything, ...listed]),
    required: new Set(required),
    forbidden: flags?.forbid ?? [],
    maxPositionals: positionals?.max ?? Number.POSITIVE_INFINITY,
    positional: positionals?.allow === undefined ? anyValue : globTest(positionals.allow),
    facts: factsOf(exe),
  };
}

function anyValue(): boolean {
  return true;
}

/** Longer words are no match: globs are made for paths, and what they cost must stay bounded. */
const MAX_GLOBBED = 4_096;

function globTest(globs: readonly string[]): PathTest {
  if (globs.includes("**")) return anyValue;
  const test = anyGlob(globs);
  return (word) => word.length <= MAX_GLOBBED && test(word);
}

function wordsFit(shape: Shape, argv: readonly string[], start: number): boolean {
  const { facts } = shape;
  if (facts.dashFirst === true && argv[start]?.startsWith("-") !== true) return false;
  let positionals = 0;
  const missing = new Set(shape.required);
  let listedSeen = false;
  let optionsEnded = false;
  for (let at = start; at < argv.length; at += 1) {
    const word = argv[at] ?? "";
    if (optionsEnded || !word.startsWith("-")) {
      positionals += 1;
      if (positionals > shape.maxPositionals || !positionalFits(shape, word)) return false;
    } else if (word === "--") {
      optionsEnded = true;
    } else {
      const width = flagWidth(shape, word, argv[at + 1]);
      if (width === 0) return false;
      listedSeen ||= facts.listed?.has(word) === true;
      if (positionals === 0) missing.delete(word);
      at += width - 1;
    }
  }
  const named = positionals > 0 || listedSeen || !needsName(shape, argv);
  return named && missing.size === 0;
}

/** What runs unless a positional names it would be the repository's choice, or the program's input. */
function needsName({ facts, maxPositionals, required }: Shape, argv: readonly string[]): boolean {
  if (facts.runsFiles === true) return required.size === 0;
  const { runsNamed } = facts;
  return maxPositionals > 0 && (runsNamed === true || runsNamed?.has(argv[1] ?? "") === true);
}

function positionalFits({ positional, facts }: Shape, word: string): boolean {
  return isSafeValue(word) && positional(word) && facts.positionalForm?.test(word) !== false;
}

/** How many words an allowed flag takes; 0 for one that is not allowed, or not with this value. */
function flagWidth(shape: Shape, word: string, next: string | undefined): 0 | 1 | 2 {
  if (shape.forbidden.some((flag) => couldBeFlag(word, flag))) return 0;
  if (shape.facts.flagForm?.test(word) === false) return 0;
  if (shape.alone.has(word)) return 1;
  const equals = word.indexOf("=");
  const value = equals === -1 ? next : word.slice(equals + 1);
  const test = shape.values.get(equals === -1 ? word : word.slice(0, equals + 1));
  if (test === undefined || value === undefined || !isSafeValue(value) || !test(value)) return 0;
  return equals === -1 ? 2 : 1;
}

/** Whether a word is this flag, an abbreviation of it, has a value glued to it, or holds it among short flags. */
function couldBeFlag(word: string, flag: string): boolean {
  if (!word.startsWith("-")) return false;
  if (word.startsWith(flag)) return true;
  if (flag.startsWith("--")) {
    const [name = ""] = word.split("=", 1);
    return name.length > 2 && flag.startsWith(name);
  }
  return word[1] !== "-" && word.includes(flag.slice(1));
}
