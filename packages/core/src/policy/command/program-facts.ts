/** What a rule has to heed when it permits a program. Programs that are not here have nothing to heed. */
export interface ProgramFacts {
  /** The only subcommands that a rule can permit, and it has to name some. */
  readonly subs?: ReadonlySet<string>;
  /** Flags by which it runs, loads or writes what their value says, or works elsewhere. */
  readonly never?: ReadonlySet<string>;
  /** Flags whose values have to be listed word by word, under `flags.values`. */
  readonly listed?: ReadonlySet<string>;
  /** It runs a script that the repository names: these subcommands, or all that it does. */
  readonly runsNamed?: ReadonlySet<string> | true;
  /** It runs the file that its first positional names, or else its input. */
  readonly runsFiles?: true;
  /** Every flag must have this form, whatever the rule says. */
  readonly flagForm?: RegExp;
  /** A first word without a dash is a run of flags. */
  readonly dashFirst?: true;
  /** So must every positional be, as one that names a file of words or another machine would not be. */
  readonly positionalForm?: RegExp;
}
