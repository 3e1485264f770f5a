// Takes the text of a patch and the workspace, gives every write that the patch means, in memory only;
// refuses what the tree doesn't take exactly, and says which file of the patch that is.
import { Buffer } from "node:buffer";
import { assertNever } from "@airlock/core/fault";
import { readPatchFiles, type PatchFile } from "@airlock/core/tool";
import { applyPatch } from "diff";
import { parseWorkspacePath, type WorkspaceFs } from "../workspace/index.ts";
import type { PatchStep } from "./commit-patch.ts";

export type PatchPlan =
  | { readonly ok: true; readonly files: readonly PatchFile[]; readonly steps: readonly PatchStep[] }
  | PlanRefusal;

interface PlanRefusal {
  readonly ok: false;
  readonly detail: string;
  /** the file of the patch that is refused, counted from 1; left out where it is the patch as a whole */
  readonly file?: { readonly number: number; readonly path: string };
}

const MAX_FILE_BYTES = 16 * 1024 * 1024;
const MAX_TOTAL_BYTES = 64 * 1024 * 1024;

export async function planPatch(files: WorkspaceFs, text: string): Promise<PatchPlan> {
  const patch = readPatchFiles(text);
  if (!patch.ok) return patch;
  const steps: PatchStep[] = [];
  let total = 0;
  for (const [index, file] of patch.files.entries()) {
    const planned = await planFile(files, file);
    if (!planned.ok) return { ...planned, file: { number: index + 1, path: file.path } };
    steps.push(...planned.steps);
    for (const step of planned.steps) total += step.after?.byteLength ?? 0;
    if (total > MAX_TOTAL_BYTES) return refusePlan("the patched files are larger than 64 MiB");
  }
  return { ok: true, files: patch.files, steps };
}

function refusePlan(detail: string): PlanRefusal {
  return { ok: false, detail };
}

type Planned = { readonly ok: true; readonly steps: readonly PatchStep[] } | PlanRefusal;

async function planFile(files: WorkspaceFs, file: PatchFile): Promise<Planned> {
  for (const path of [file.from, file.path]) {
    const parsed = parseWorkspacePath(path, "write");
    if (!parsed.ok) return refusePlan(parsed.detail);
  }
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
  if (!target.ok) return refusePlan(target.detail);
  if (target.exists) return refusePlan("the file exists already");
  const text = applyExactly(original.text, file);
  if (text === null) return refusePlan("the patch does not fit");
  const executable = executableAfter(file, original.executable);
  const after = Buffer.from(text);
  return { ok: true, steps: [{ path: file.path, before: null, after, executable, wasExecutable: false }] };
}

async function planChange(files: WorkspaceFs, file: PatchFile): Promise<Planned> {
  const read = await files.readFile(file.from, { maxBytes: MAX_FILE_BYTES });
  if (!read.ok) return refusePlan(read.detail);
  const before = Buffer.from(read.bytes);
  const text = before.toString();
  if (!Buffer.from(text).equals(before)) return refusePlan("the file is not UTF-8 text");
  const wasExecutable = read.executable;
  const remove: PatchStep = { path: file.from, before, after: null, executable: false, wasExecutable };
  if (file.kind === "rename") {
    const created = await planNew(files, file, { text, executable: wasExecutable });
    return created.ok ? { ok: true, steps: [...created.steps, remove] } : created;
  }
  const patched = applyExactly(text, file);
  if (patched === null) return refusePlan(notFitting(file));
  if (file.kind === "delete") {
    return patched === ""
      ? { ok: true, steps: [remove] }
      : refusePlan("the patch deletes the file and not all of its lines");
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
