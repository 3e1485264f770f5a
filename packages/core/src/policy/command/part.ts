/** One program that a command starts. A simple command is one part, each wrapper around it another. */
export interface CommandPart {
  /** The program and its own words, without what a wrapper runs: that is a part of its own. */
  readonly argv: readonly string[];
  /** `NAME=value` as `env` sets it, `NAME` as `env -u` removes it. */
  readonly assignments: readonly string[];
  /** Whether nobody can know beforehand with which words it runs, as from `xargs`, or in which folder. */
  readonly undetermined: boolean;
}

export interface CommandLimits {
  /** Parts of one command. */
  readonly commands: number;
  /** Wrappers around one part. */
  readonly wrapperDepth: number;
}

/**
 * `parts` of a command that can't be read are for rules that stop calls: what could be read, and the rest as it
 * stands. Reasons quote no argument.
 */
export type CommandParts =
  | { readonly ok: true; readonly parts: readonly CommandPart[] }
  | { readonly ok: false; readonly reason: string; readonly parts: readonly CommandPart[] };

export function plainPart(argv: readonly string[], undetermined = false): CommandPart {
  return { argv, assignments: [], undetermined };
}

/** What a program is called without the folder that it lies in. */
export function baseName(program: string): string {
  return program.slice(program.lastIndexOf("/") + 1);
}
