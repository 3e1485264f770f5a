import { Buffer } from "node:buffer";
import { lstat, opendir, type FileHandle } from "node:fs/promises";
import { errnoCode, holdDirectory } from "./held-directory.ts";
import { parseWorkspacePath, type PathRefusal } from "./path-rules.ts";
import { entryType, type EntryType } from "./read-entry.ts";

export interface ListedEntry {
  /** Relative to the tree. Bytes that a terminal or a reader could trip over are written as `\xNN`. */
  readonly path: string;
  readonly type: EntryType;
  readonly size: number;
}

export interface ListResult {
  readonly ok: true;
  readonly entries: readonly ListedEntry[];
  readonly truncated: boolean;
}

export interface ListLimits {
  readonly depth: number;
  readonly maxEntries: number;
  /** names of directories that are not entered */
  readonly skip?: ReadonlySet<string>;
}

interface Listing {
  readonly root: FileHandle;
  readonly maxEntries: number;
  readonly skip: ReadonlySet<string>;
  readonly entries: ListedEntry[];
  /** how many names may yet be read: each folder that is entered holds its own while those in it are listed */
  namesLeft: number;
  truncated: boolean;
}

/** Names that are read for each entry that may be shown. */
const NAMES_PER_ENTRY = 4;

/** Lists depth first, sorted within each directory; a protected name is not shown, a link not entered. */
export async function listEntries(
  root: FileHandle,
  path: string,
  limits: ListLimits,
): Promise<ListResult | PathRefusal> {
  const parsed = parseWorkspacePath(path, "read");
  if (!parsed.ok) return parsed;
  const listing: Listing = {
    root,
    maxEntries: limits.maxEntries,
    skip: limits.skip ?? new Set(),
    entries: [],
    namesLeft: limits.maxEntries * NAMES_PER_ENTRY,
    truncated: false,
  };
  const refusal = await listDirectory(listing, parsed.components, limits.depth);
  if (refusal !== null) return refusal;
  return { ok: true, entries: listing.entries, truncated: listing.truncated };
}

async function listDirectory(
  listing: Listing,
  components: readonly string[],
  depth: number,
): Promise<PathRefusal | null> {
  const directory = await holdDirectory({ root: listing.root, components, create: null });
  if (!directory.ok) return directory;
  try {
    for (const name of await readNames(listing, directory.handle)) {
      if (listing.entries.length >= listing.maxEntries) {
        listing.truncated = true;
        return null;
      }
      const child = await describe(directory.handle, components, name);
      if (child !== null) listing.entries.push(child.entry);
      // A refusal below is a directory that went away or became a link in the meantime: shown, not entered.
      if (child?.enter && depth > 1 && !listing.skip.has(child.name))
        await listDirectory(listing, [...components, child.name], depth - 1);
    }
    return null;
  } finally {
    await directory.handle.close();
  }
}

async function readNames(listing: Listing, directory: FileHandle): Promise<readonly Buffer[]> {
  const names: Buffer[] = [];
  // Latin-1 keeps each byte of a name. The stream is cut at the limit, so that a directory of a million entries costs no more than the listing.
  const stream = await opendir(`/proc/self/fd/${directory.fd}`, { encoding: "latin1" });
  for await (const entry of stream) {
    if (names.length > listing.maxEntries || listing.namesLeft <= 0) {
      listing.truncated = true;
      break;
    }
    listing.namesLeft -= 1;
    names.push(Buffer.from(entry.name, "latin1"));
  }
  return names.toSorted((a, b) => Buffer.compare(a, b));
}

interface Described {
  readonly name: string;
  readonly enter: boolean;
  readonly entry: ListedEntry;
}

async function describe(
  directory: FileHandle,
  parents: readonly string[],
  name: Buffer,
): Promise<Described | null> {
  const text = name.toString();
  const wellFormed = Buffer.from(text).equals(name);
  if (wellFormed && !parseWorkspacePath(text, "read").ok) return null;
  try {
    const stats = await lstat(Buffer.concat([Buffer.from(`/proc/self/fd/${directory.fd}/`), name]));
    const type = entryType(stats);
    const path = [...parents.map((parent) => printable(Buffer.from(parent))), printable(name)].join("/");
    return {
      name: text,
      enter: type === "directory" && wellFormed,
      entry: { path, type, size: type === "file" ? stats.size : 0 },
    };
  } catch (error) {
    if (errnoCode(error) === "ENOENT") return null;
    throw error;
  }
}

function printable(name: Buffer): string {
  const text = name.toString();
  const wellFormed = Buffer.from(text).equals(name);
  const shown = wellFormed ? text : name.toString("latin1");
  const hidden = wellFormed ? /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu : /[^\x20-\x7e]/gu;
  return shown.replaceAll(hidden, (character) =>
    [...Buffer.from(character, wellFormed ? "utf8" : "latin1")]
      .map((byte) => `\\x${byte.toString(16).padStart(2, "0")}`)
      .join(""),
  );
}
