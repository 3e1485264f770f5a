import { parsePatch, type StructuredPatch } from "diff";
import type { PatchRefusal } from "./patch-files.ts";
import type { PatchSection } from "./patch-sections.ts";

/** A patch names each file up to three times; the parser keeps the last, so the others are compared here. */
export function refuseDisagreement(
  sections: readonly Readonly<PatchSection>[],
  patches: readonly StructuredPatch[],
): PatchRefusal | null {
  if (sections.length !== patches.length || sections.length === 0) {
    return { ok: false, detail: "the patch has no file headers, or some that can't be told apart" };
  }
  for (const [index, section] of sections.entries()) {
    const patch = patches[index];
    if (patch === undefined || !agrees(section, patch)) {
      return { ok: false, detail: `file ${index + 1} of the patch: its headers name different files` };
    }
  }
  return null;
}

function agrees(section: Readonly<PatchSection>, patch: StructuredPatch): boolean {
  const { oldFileName, newFileName } = patch;
  return (
    sameName(section.old, oldFileName) &&
    sameName(section.new, newFileName) &&
    sameName(section.renameFrom === null ? null : `a/${section.renameFrom}`, oldFileName) &&
    sameName(section.renameTo === null ? null : `b/${section.renameTo}`, newFileName) &&
    (section.renameFrom === null) === (section.renameTo === null) &&
    (section.git === null || gitHeaderAgrees(section.git, patch))
  );
}

/** As written; a name in quotes is left to the parser, which either unquotes it or keeps the quote. */
function sameName(written: string | null, parsed: string | undefined): boolean {
  if (written === null) return true;
  return /^(?:[ab]\/)?"/.test(written) ? parsed?.includes('"') === false : written === parsed;
}

function gitHeaderAgrees(header: string, patch: StructuredPatch): boolean {
  const [named] = parsePatch(`diff --git ${header}\n`);
  const oldPath = pathOf(named?.oldFileName, "a/");
  const newPath = pathOf(named?.newFileName, "b/");
  if (oldPath === null || newPath === null) return false;
  const from = pathOf(patch.oldFileName, "a/");
  const path = pathOf(patch.newFileName, "b/");
  // /dev/null on one side: git's own line then names the other side's file twice.
  return oldPath === (from ?? path) && newPath === (path ?? from);
}

function pathOf(name: string | undefined, prefix: "a/" | "b/"): string | null {
  return name?.startsWith(prefix) === true ? name.slice(prefix.length) : null;
}
