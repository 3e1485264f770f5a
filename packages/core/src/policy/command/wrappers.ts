import { optionTable, type OptionTable } from "./options.ts";

/** How a program's own words are read, and where what it runs begins. */
export type Wrapper =
  | {
      /** Own options, then so many operands of its own, then the command. */
      readonly kind: "prefix";
      readonly options: OptionTable;
      readonly operands: readonly RegExp[];
      /** Whether it adds words to the command that nobody can know beforehand. */
      readonly appends: boolean;
    }
  /** Assignments, then the command. */
  | { readonly kind: "environment"; readonly options: OptionTable }
  /** A text after a run of flags that holds `c`. */
  | { readonly kind: "shell"; readonly options: OptionTable }
  /** Commands between `-exec` and its like, and `;` or `+`. */
  | { readonly kind: "find" }
  /** A program text as the first operand. */
  | { readonly kind: "awk"; readonly options: OptionTable }
  /** A script as the first operand, or after `-e`. */
  | { readonly kind: "sed"; readonly options: OptionTable }
  /** A program of `node_modules/.bin`, after the subcommand where there is one. */
  | {
      readonly kind: "package_bin";
      readonly sub: string | null;
      readonly options: OptionTable;
      /** Whether `--` must stand before the program: without it later words are options of the wrapper too. */
      readonly needsDashes: boolean;
    };

const DURATION = /^\d+(?:\.\d+)?[smhd]?$/;

function prefix(options: OptionTable, operands: readonly RegExp[] = []): Wrapper {
  return { kind: "prefix", options, operands, appends: false };
}

const SHELL: Wrapper = { kind: "shell", options: optionTable("--norc --noprofile --posix -e -u") };
const AWK: Wrapper = { kind: "awk", options: optionTable("", "-F -v") };
const SED: Wrapper = {
  kind: "sed",
  options: optionTable(
    "-n --quiet --silent -E -r --regexp-extended -s --separate -z --null-data -u --unbuffered -i --in-place --posix --sandbox",
    "-e --expression",
  ),
};

export const WRAPPERS: ReadonlyMap<string, Wrapper> = new Map<string, Wrapper>([
  // Neither -i nor -S: the first takes away what keeps git from running the workspace's configuration.
  ["env", { kind: "environment", options: optionTable("", "-u --unset") }],
  [
    "timeout",
    prefix(optionTable("--preserve-status --foreground -v --verbose", "-k --kill-after -s --signal"), [
      DURATION,
    ]),
  ],
  ["nice", prefix(optionTable("", "-n --adjustment"))],
  ["ionice", prefix(optionTable("-t --ignore", "-c --class -n --classdata"))],
  ["nohup", prefix(optionTable(""))],
  ["setsid", prefix(optionTable("-w --wait -f --fork"))],
  ["stdbuf", prefix(optionTable("", "-i --input -o --output -e --error"))],
  ["time", prefix(optionTable("-p --portability -v --verbose -q --quiet"))],
  [
    "xargs",
    {
      kind: "prefix",
      options: optionTable(
        "-0 --null -r --no-run-if-empty -t --verbose -x --exit",
        "-a --arg-file -d --delimiter -I -L --max-lines -n --max-args -P --max-procs -s --max-chars",
      ),
      operands: [],
      appends: true,
    },
  ],
  ["sh", SHELL],
  ["bash", SHELL],
  ["dash", SHELL],
  ["ash", SHELL],
  ["find", { kind: "find" }],
  ["awk", AWK],
  ["gawk", AWK],
  ["mawk", AWK],
  ["nawk", AWK],
  ["sed", SED],
  ["gsed", SED],
  // Without --no, a program that is missing would be fetched from a registry.
  ["npm", { kind: "package_bin", sub: "exec", options: optionTable("--no"), needsDashes: true }],
  ["npx", { kind: "package_bin", sub: null, options: optionTable("--no"), needsDashes: true }],
  ["pnpm", { kind: "package_bin", sub: "exec", options: optionTable(""), needsDashes: false }],
]);
