import { Buffer } from "node:buffer";
import { assertNever } from "@airlock/core/fault";
import { applyPatch } from "diff";
import { z } from "zod";
import type { WorkspaceFs } from "../workspace/index.ts";
import { commitPatch, type PatchStep } from "./commit-patch.ts";
import { readPatchFiles, refusePatch, type PatchFile, type PatchRefusal } from "./patch-files.ts";
import { readArguments } from "./read-arguments.ts";
import { CLAIM_LOST, refuse, succeed, type ToolBody } from "./tool-body.ts";

const applyPatchArguments = z.strictObject({ patch: z.string() });

const MAX_FILE_BYTES = 16 * 1024 * 1024;
const MAX_TOTAL_BYTES = 64 * 1024 * 1024;

/** A unified diff in, the changed files out; all of it fits exactly, or nothing is written. */
export const applyPatchBody: ToolBody = async (context, args, signal) => {
  const parsed = readArguments(applyPatchArguments, args);
  if (!parsed.ok) return parsed.refusal;
  const patch = readPatchFiles(parsed.value.patch);
  if (!patch.ok) return refuse("PATCH_REFUSED", patch.detail);
  const steps: PatchStep[] = [];
  let total = 0;
  for (const file of patch.files) {
    const planned = await planFile(context.files, file);
    if (!planned.ok) return refuse("PATCH_REFUSED", `${file.path}: ${planned.detail}`);
    steps.push(...planned.steps);
    for (const step of planned.steps) total += step.after?.byteLength ?? 0;
    if (total > MAX_TOTAL_BYTES) return refuse("PATCH_REFUSED", "the patched files are larger than 64 MiB");
  }
  if (signal.aborted) return refuse("CANCELLED", "cancelled before anything was written");
  if (!(await context.fenceHolds())) return CLAIM_LOST;
  const committed = await commitPatch(context.files, steps);
  return committed.ok ? succeed({ files: committed.changes }) : committed.outcome;
};

type Planned = { readonly ok: true; readonly steps: readonly PatchStep[] } | PatchRefusal;

/** In memory only. */
async function planFile(files: WorkspaceFs, file: PatchFile): Promise<Planned> {
  switch (file.kind) {
    case "create":
      return planNew(files, file, { text: "", executable: false });
    case "modify":
    case "rename":
    case "delete":
      return planChange(files, file);
    default:
      return assertNever(file.kind);
  }
}

interface Original {
  readonly text: string;
  readonly executable: boolean;
}

async function planNew(files: WorkspaceFs, file: PatchFile, original: Original): Promise<Planned> {
  const target = await files.stat(file.path);
  if (!target.ok) return refusePatch(target.detail);
  if (target.exists) return refusePatch("the file exists already");
  const text = applyExactly(original.text, file);
  if (text === null) return refusePatch("the patch does not fit");
  const executable = executableAfter(file, original.executable);
  const after = Buffer.from(text);
  return { ok: true, steps: [{ path: file.path, before: null, after, executable, wasExecutable: false }] };
}

async function planChange(files: WorkspaceFs, file: PatchFile): Promise<Planned> {
  const read = await files.readFile(file.from, { maxBytes: MAX_FILE_BYTES });
  if (!read.ok) return refusePatch(read.detail);
  const before = Buffer.from(read.bytes);
  const text = before.toString();
  if (!Buffer.from(text).equals(before)) return refusePatch("the file is not UTF-8 text");
  const wasExecutable = read.executable;
  const remove: PatchStep = { path: file.from, before, after: null, executable: false, wasExecutable };
  if (file.kind === "rename") {
    const created = await planNew(files, file, { text, executable: wasExecutable });
    return created.ok ? { ok: true, steps: [...created.steps, remove] } : created;
  }
  const patched = applyExactly(text, file);
  if (patched === null) return refusePatch(notFitting(file));
  if (file.kind === "delete") {
    return patched === ""
      ? { ok: true, steps: [remove] }
      : refusePatch("the patch deletes the file and not all of its lines");
  }
  const executable = executableAfter(file, wasExecutable);
  const after = Buffer.from(patched);
  return { ok: true, steps: [{ path: file.path, before, after, executable, wasExecutable }] };
}

function notFitting(file: PatchFile): string {
  const lines = file.patch.hunks.map((hunk) => hunk.oldStart).slice(0, 10);
  return `a hunk (old lines ${lines.join(", ")}) does not match the file; read it again and make a new patch`;
}

/** Every context line must match; only the place may have moved. */
function applyExactly(text: string, file: PatchFile): string | null {
  if (file.patch.hunks.length === 0) return text;
  const patched = applyPatch(text, file.patch, { fuzzFactor: 0, autoConvertLineEndings: true });
  return patched === false ? null : patched;
}

function executableAfter(file: PatchFile, before: boolean): boolean {
  return file.mode === "keep" ? before : file.mode === "executable";
}
