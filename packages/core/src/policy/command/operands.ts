import type { JsonObject } from "../../json/index.ts";
import { normalizeWorkspacePath } from "../../tool/index.ts";
import { wordSet } from "./options.ts";
import { baseName, type CommandPart } from "./part.ts";

/** Where a call's command runs, normalised; null for a folder outside the workspace. */
export function commandFolder(args: JsonObject): string | null {
  const folder = Object.hasOwn(args, "cwd") ? args["cwd"] : ".";
  return typeof folder === "string" ? normalizeWorkspacePath(folder) : null;
}

/** The paths that a part names, for the scopes of policy. Null when they can't be told from its words. */
export interface OperandPaths {
  readonly reads: readonly string[];
  readonly writes: readonly string[];
}

type Role =
  | "reads"
  | "writes"
  /** The last is written, the others are read. */
  | "copies"
  /** `if=` is read, `of=` is written. */
  | "names"
  /** Until the first word of its expression. */
  | "starts"
  /** Read, or written with `-i`. */
  | "edits";

interface Operands {
  readonly role: Role;
  /** Whether a pattern or a mode comes before the paths, unless one of these flags takes its place. */
  readonly firstUnless: ReadonlySet<string> | null;
}

function operands(
  names: string,
  role: Role,
  firstUnless: ReadonlySet<string> | null = null,
): readonly (readonly [string, Operands])[] {
  return names.split(" ").map((name) => [name, { role, firstUnless }] as const);
}

const PROGRAMS_WITH_PATHS: ReadonlyMap<string, Operands> = new Map([
  ...operands(
    "cat tac head tail wc nl rev ls stat file du md5sum sha1sum sha256sum sha512sum cksum b2sum",
    "reads",
  ),
  ...operands(
    "diff cmp comm join paste sort strings od hexdump base64 column fold expand tar zcat xzcat bzcat",
    "reads",
  ),
  ...operands("grep egrep fgrep rg", "reads", wordSet("-e --regexp --files")),
  ...operands("awk gawk mawk nawk", "reads"),
  ...operands("sed gsed", "edits"),
  ...operands("find", "starts"),
  ...operands(
    "tee touch mkdir rmdir rm mv unlink truncate shred ln mkfifo mknod split csplit install rsync",
    "writes",
  ),
  ...operands("uniq xxd gzip gunzip bzip2 bunzip2 xz unxz zstd zip unzip dos2unix unix2dos", "writes"),
  ...operands("chmod chown chgrp", "writes", wordSet("--reference")),
  ...operands("cp", "copies"),
  ...operands("dd", "names"),
]);

/** Programs that, asked to, write all that lies below a folder: nobody can judge that beforehand. */
const WRITES_BELOW = wordSet("cp rm chmod chown chgrp rsync install zip gzip");

const NOTHING: OperandPaths = { reads: [], writes: [] };

/** Only of programs whose operands are known to be paths; of others, nothing. */
export function operandPaths(part: CommandPart, cwd: string): OperandPaths | null {
  const program = baseName(part.argv[0] ?? "");
  const known = PROGRAMS_WITH_PATHS.get(program);
  if (known === undefined) return NOTHING;
  const words = part.argv.slice(1);
  if (WRITES_BELOW.has(program) && words.some(isRecursive)) return null;
  const named = namedPaths(known, words);
  const reads = named.reads.map((word) => pathBelow(cwd, word));
  const writes = named.writes.map((word) => pathBelow(cwd, word));
  if (part.undetermined || !reads.every(isPath) || !writes.every(isPath)) return null;
  return { reads, writes };
}

function namedPaths({ role, firstUnless }: Operands, words: readonly string[]): OperandPaths {
  const hasFirst =
    firstUnless !== null && !words.some((word) => firstUnless.has(word.split("=", 1)[0] ?? ""));
  const paths = pathWords(words).slice(hasFirst ? 1 : 0);
  switch (role) {
    case "reads":
      return { reads: paths.filter((word) => !isCount(word)), writes: [] };
    case "writes":
      return { reads: [], writes: paths };
    case "copies":
      return words.some(namesTargetFolder)
        ? { reads: [], writes: paths }
        : { reads: paths.slice(0, -1), writes: paths.slice(-1) };
    case "names":
      return { reads: after(words, "if="), writes: after(words, "of=") };
    case "starts":
      return { reads: words.slice(0, indexOfExpression(words)), writes: [] };
    case "edits":
      return words.some((word) => word === "-i" || word === "--in-place")
        ? { reads: [], writes: paths }
        : { reads: paths, writes: [] };
  }
}

/** Words that are no flags, and what stands behind a flag's equals sign. */
function pathWords(words: readonly string[]): readonly string[] {
  const end = words.indexOf("--");
  return words.flatMap((word, at) => {
    if ((end !== -1 && at > end) || !word.startsWith("-")) return [word];
    const equals = word.indexOf("=");
    return equals === -1 ? [] : [word.slice(equals + 1)];
  });
}

function isCount(word: string): boolean {
  return /^\+?\d+[kKMGbc]?$/.test(word);
}

function isRecursive(word: string): boolean {
  return /^-[A-Za-z]*[rRa]/.test(word) || word.startsWith("--r") || word.startsWith("--a");
}

function namesTargetFolder(word: string): boolean {
  return /^-[A-Za-z]*t/.test(word) || word.startsWith("--t");
}

function after(words: readonly string[], name: string): readonly string[] {
  return words.filter((word) => word.startsWith(name)).map((word) => word.slice(name.length));
}

function indexOfExpression(words: readonly string[]): number {
  const at = words.findIndex((word) => /^[-(!]/.test(word));
  return at === -1 ? words.length : at;
}

/** `{}` stands for paths that find alone knows. */
function pathBelow(cwd: string, word: string): string | null {
  return word.startsWith("/") || word.startsWith("~") || word === "{}"
    ? null
    : normalizeWorkspacePath(`${cwd}/${word}`);
}

function isPath(path: string | null): path is string {
  return path !== null;
}
