import { parsePatch, type StructuredPatch } from "diff";
import { refuseDisagreement } from "./patch-agreement.ts";
import { readPatchSections } from "./patch-sections.ts";
import { normalizeWorkspacePath } from "./workspace-path.ts";

/**
 * A unified diff in, one plain change a file out. Everything that such a text can say beyond "these lines become
 * those" (links, submodules, copies, binaries, special modes) is refused, and so is a header that contradicts itself.
 * The one reader of patches: policy's paths, an artifact's judgement and the change itself all come from it.
 * Details number the patch's files and never quote it.
 */
export type PatchFile = {
  /** `from` differs from `path` only in a rename. */
  readonly kind: "create" | "modify" | "delete" | "rename";
  readonly from: string;
  readonly path: string;
  readonly mode: PatchMode;
  readonly patch: StructuredPatch;
};

/** What becomes of the executable bit; `keep` leaves it as it is. */
export type PatchMode = "keep" | "plain" | "executable";

export interface PatchRefusal {
  readonly ok: false;
  readonly detail: string;
}

export type PatchFiles = { readonly ok: true; readonly files: readonly PatchFile[] } | PatchRefusal;

const MAX_PATCH_CHARS = 1024 * 1024;
const MAX_FILES = 200;
const MAX_HUNKS = 2000;
const DEV_NULL = "/dev/null";
const UNREADABLE = "a file name is absolute, holds `..`, control or invisible characters, or is too long";
const MODES = { "100644": "plain", "100755": "executable" } as const satisfies Record<string, PatchMode>;

function refusePatch(detail: string): PatchRefusal {
  return { ok: false, detail };
}

export function readPatchFiles(text: string): PatchFiles {
  if (text.length > MAX_PATCH_CHARS) return refusePatch("the patch is larger than 1 MiB");
  const patches = parse(text);
  if (!patches.ok) return patches;
  if (patches.list.length > MAX_FILES) return refusePatch("the patch changes more than 200 files");
  const hunks = patches.list.reduce((sum, patch) => sum + patch.hunks.length, 0);
  if (hunks > MAX_HUNKS) return refusePatch("the patch has more than 2000 hunks");
  const files: PatchFile[] = [];
  for (const [index, patch] of patches.list.entries()) {
    const file = readFile(patch);
    if (!("kind" in file)) return refusePatch(`file ${index + 1} of the patch: ${file.detail}`);
    files.push(file);
  }
  return refuseOverlap(files) ?? { ok: true, files };
}

type Parsed = { readonly ok: true; readonly list: readonly StructuredPatch[] } | PatchRefusal;

function parse(text: string): Parsed {
  const skeleton = readPatchSections(text);
  if (!skeleton.ok) return skeleton;
  try {
    const list = parsePatch(text.replace(/^\n+/, ""));
    return refuseDisagreement(skeleton.sections, list) ?? { ok: true, list };
  } catch {
    // the parser's message quotes the patch
    return refusePatch("the patch is malformed");
  }
}

function readFile(patch: StructuredPatch): PatchFile | PatchRefusal {
  const { oldFileName, newFileName } = patch;
  if (oldFileName === undefined || newFileName === undefined) {
    return refusePatch("there is no `--- a/<path>` and `+++ b/<path>` header");
  }
  if (patch.isCopy === true) return refusePatch("copies are not supported; create the file instead");
  if (patch.isBinary === true) return refusePatch("binary changes can't be patched");
  const mode = readMode(patch);
  if (mode === null) return refusePatch("only the modes 100644 and 100755 are supported");
  const oldPath = readPath(oldFileName, "a/");
  const newPath = readPath(newFileName, "b/");
  if (oldPath !== null && typeof oldPath !== "string") return oldPath;
  if (newPath !== null && typeof newPath !== "string") return newPath;
  return classify({ patch, mode, oldPath, newPath });
}

interface Classified {
  readonly patch: StructuredPatch;
  readonly mode: PatchMode;
  /** Null stands for /dev/null. */
  readonly oldPath: string | null;
  readonly newPath: string | null;
}

function classify({ patch, mode, oldPath, newPath }: Classified): PatchFile | PatchRefusal {
  const path = newPath ?? oldPath;
  if (path === null) return refusePatch("both headers are /dev/null");
  const from = oldPath ?? path;
  const created = oldPath === null || patch.isCreate === true;
  const deleted = newPath === null || patch.isDelete === true;
  const renamed = patch.isRename === true;
  if (from !== path && !renamed) return refusePatch("the two headers name different files");
  if (from === path && renamed) return refusePatch("a rename needs two different names");
  if ([created, deleted, renamed].filter(Boolean).length > 1) {
    return refusePatch("the headers say two of: created, deleted, renamed");
  }
  if (created && patch.hunks.some((hunk) => hunk.oldLines !== 0)) {
    return refusePatch("a created file can't have old lines");
  }
  if (deleted && patch.hunks.some((hunk) => hunk.newLines !== 0)) {
    return refusePatch("a deleted file can't have new lines");
  }
  const kind = created ? "create" : deleted ? "delete" : renamed ? "rename" : "modify";
  if (kind === "modify" && patch.hunks.length === 0 && mode === "keep") {
    return refusePatch("the file has no hunks");
  }
  return { kind, from, path, mode, patch };
}

/** Relative to the tree, in its one normal form; null for /dev/null. */
function readPath(name: string, prefix: "a/" | "b/"): string | null | PatchRefusal {
  if (name === DEV_NULL) return null;
  if (!name.startsWith(prefix)) return refusePatch(`a file name needs the prefix \`${prefix}\``);
  const path = name.slice(prefix.length);
  const normal = normalizeWorkspacePath(path);
  if (normal === null) return refusePatch(UNREADABLE);
  return normal === path.normalize("NFC") && normal !== "."
    ? path
    : refusePatch("a file name is not in its plain form");
}

function readMode(patch: StructuredPatch): PatchMode | null {
  for (const mode of [patch.oldMode, patch.newMode]) {
    if (mode !== undefined && !isMode(mode)) return null;
  }
  const mode = patch.newMode;
  return mode !== undefined && isMode(mode) ? MODES[mode] : "keep";
}

function isMode(mode: string): mode is keyof typeof MODES {
  return Object.hasOwn(MODES, mode);
}

/** Two changes of one file would have to be ordered, and a file can't lie below another. */
function refuseOverlap(files: readonly PatchFile[]): PatchRefusal | null {
  const named = files.flatMap((file) => (file.from === file.path ? [file.path] : [file.from, file.path]));
  const seen = new Set(named);
  if (seen.size < named.length) return refusePatch("the patch names one file twice");
  const below = named.some((path) => {
    const parts = path.split("/");
    return parts.some((_, index) => index > 0 && seen.has(parts.slice(0, index).join("/")));
  });
  return below ? refusePatch("the patch names a file and something below it") : null;
}

/** Every path that a patch's headers name, each once; null where the patch is not one that can be applied. */
export function patchPaths(text: string): readonly string[] | null {
  const patch = readPatchFiles(text);
  return patch.ok ? [...new Set(patch.files.flatMap(({ from, path }) => [from, path]))] : null;
}
