import type { CommandPattern } from "./command-pattern.ts";
import { isDangerousVariable } from "./environment.ts";
import { canNeverBePermitted } from "./never-permitted.ts";
import type { ProgramFacts } from "./program-facts.ts";
import { factsOf } from "./programs.ts";

export interface PatternProblem {
  /** Below the key `command`. */
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** What would make a rule permit more than it says. */
export function permittingProblems(pattern: CommandPattern): readonly PatternProblem[] {
  const { exe } = pattern;
  if (canNeverBePermitted(exe)) {
    return [
      { path: ["exe"], message: `${exe} runs what nobody can judge beforehand; it can't be permitted` },
    ];
  }
  const facts = factsOf(exe);
  return [
    ...subProblems(pattern, facts),
    ...flagProblems(pattern, facts),
    ...narrowProblems(pattern, facts),
    ...environmentProblems(pattern),
  ];
}

/** Such a rule matches as broadly as it can, so what narrows a permitting rule would only mislead here. */
export function restrictingProblems({
  flags,
  positionals,
  environment,
}: CommandPattern): readonly PatternProblem[] {
  const narrow = [flags?.allow, flags?.values, flags?.require, positionals, environment];
  if (narrow.every((key) => key === undefined)) return [];
  return [{ path: [], message: "a rule that stops calls may name only exe, sub and flags.forbid" }];
}

function subProblems({ exe, sub }: CommandPattern, { subs }: ProgramFacts): readonly PatternProblem[] {
  if (subs === undefined) return [];
  if (sub === undefined) return [{ path: [], message: `${exe} must be narrowed: add the key sub` }];
  return sub
    .filter((word) => !subs.has(word))
    .map((word) => ({
      path: ["sub"],
      message: `${exe} ${word} can't be permitted: it runs what it is given, or ${exe} does not know it itself`,
    }));
}

function flagProblems({ exe, flags }: CommandPattern, facts: ProgramFacts): readonly PatternProblem[] {
  const alone = [...(flags?.allow ?? []), ...(flags?.require ?? [])];
  const values = Object.entries(flags?.values ?? {});
  const named = [...alone, ...values.map(([flag]) => flag)];
  const forms = facts.flagForm;
  return [
    ...named
      .filter((flag) => facts.never?.has(bare(exe, flag)) === true)
      .map((flag) => `${exe} ${flag} runs, loads or writes what it names; it can't be permitted`),
    ...named
      .filter((flag) => forms?.test(flag) === false)
      .map((flag) => `${exe} ${flag} can't be permitted: only forms of ${String(forms)} can`),
    ...alone
      .filter((flag) => facts.listed?.has(bare(exe, flag)) === true)
      .map((flag) => `${exe} ${flag} loads what it names: list its values under flags.values`),
    ...values
      .filter(([flag, globs]) => facts.listed?.has(bare(exe, flag)) === true && !globs.every(isLiteral))
      .map(([flag]) => `${exe} ${flag} loads what it names: its values must be words without wildcards`),
  ].map((message) => ({ path: ["flags"], message }));
}

function narrowProblems(pattern: CommandPattern, facts: ProgramFacts): readonly PatternProblem[] {
  const { exe, sub, flags, positionals } = pattern;
  const names = facts.runsNamed === true || (sub ?? []).some((word) => isIn(facts.runsNamed, word));
  const literal = positionals?.max === 0 || positionals?.allow?.every(isLiteral) === true;
  if (names && !literal) {
    return [
      {
        path: [],
        message: `${exe} runs what the repository names: list it under positionals.allow, word by word`,
      },
    ];
  }
  const narrowed =
    positionals?.allow !== undefined ||
    (flags?.require ?? []).length > 0 ||
    flags?.values?.["-m"] !== undefined;
  if (facts.runsFiles !== true || narrowed) return [];
  return [{ path: [], message: `${exe} runs the file it is given: add positionals.allow or flags.require` }];
}

function environmentProblems({ exe, environment }: CommandPattern): readonly PatternProblem[] {
  if (environment === undefined) return [];
  if (exe !== "env") return [{ path: ["environment"], message: "only a rule for env permits variables" }];
  return environment.filter(isDangerousVariable).map((name) => ({
    path: ["environment"],
    message: `${name} changes what programs run or load; it can't be permitted`,
  }));
}

/** Go reads `--name` as `-name`; an equals sign makes no other flag. */
function bare(exe: string, flag: string): string {
  const name = flag.replace(/=$/, "");
  return exe === "go" ? name.replace(/^--/, "-") : name;
}

function isLiteral(glob: string): boolean {
  return !/[*?{]/.test(glob);
}

function isIn(names: ReadonlySet<string> | true | undefined, word: string): boolean {
  return names !== undefined && names !== true && names.has(word);
}
