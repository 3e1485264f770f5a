// Takes what `git status --porcelain=v2 -z` wrote, gives the branch, the commit and every changed path; a record that
// it doesn't know is counted, never guessed at.
export const STATUS_ARGUMENTS = [
  "status",
  "--porcelain=v2",
  "--branch",
  "-z",
  "--untracked-files=all",
  "--ignore-submodules=all",
  "--no-renames",
] as const;

export type StatusKind = "added" | "modified" | "deleted" | "type_changed" | "unmerged" | "untracked";

export interface StatusEntry {
  readonly path: string;
  readonly kind: StatusKind;
}

export interface GitStatus {
  /** null before the first commit */
  readonly commit: string | null;
  readonly branch: string | null;
  readonly entries: readonly StatusEntry[];
  readonly unread: number;
}

const OID = /^# branch\.oid ([0-9a-f]{40,64})$/;
const HEAD = /^# branch\.head (.+)$/s;
/** `1 XY sub mH mI mW hH hI path`: what differs between the commit, the index and the tree. */
const CHANGED = /^1 ([.MADT])([.MADT]) \S+ \S+ \S+ \S+ \S+ \S+ (.+)$/s;
const UNMERGED = /^u \S\S(?: \S+){8} (.+)$/s;
const UNTRACKED = /^\? (.+)$/s;

/** A record that was cut off at the end is left out. */
export function readStatus(text: string): GitStatus {
  const entries: StatusEntry[] = [];
  let [commit, branch]: [string | null, string | null] = [null, null];
  let unread = 0;
  for (const record of text.split("\0").slice(0, -1)) {
    const entry = readEntry(record);
    if (entry !== null) entries.push(entry);
    else if (record.startsWith("# ")) {
      commit = OID.exec(record)?.[1] ?? commit;
      branch = HEAD.exec(record)?.[1] ?? branch;
    } else unread += 1;
  }
  return { commit, branch, entries, unread };
}

function readEntry(record: string): StatusEntry | null {
  const [, index, tree, path] = CHANGED.exec(record) ?? [];
  if (index !== undefined && tree !== undefined && path !== undefined)
    return { path, kind: kindOf(index, tree) };
  const unmerged = UNMERGED.exec(record)?.[1];
  if (unmerged !== undefined) return { path: unmerged, kind: "unmerged" };
  const untracked = UNTRACKED.exec(record)?.[1];
  return untracked === undefined ? null : { path: untracked, kind: "untracked" };
}

function kindOf(index: string, tree: string): StatusKind {
  if (index === "D" || tree === "D") return "deleted";
  if (index === "A") return "added";
  return index === "T" || tree === "T" ? "type_changed" : "modified";
}
