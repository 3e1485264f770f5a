// A run's id in, what it changed of its workspace out, or why there is nothing to show.
// Refuses runs that nobody submitted or that are not kept any more, and a diff that was edited or moved.
import { z } from "zod";
import type { Keyring } from "@airlock/core/record";
import { readRun, readRunDiff, runDiffSchema, type RunHash } from "@airlock/core/run";
import type { Redis } from "@airlock/core/store";
import { assertSubmitted } from "./run-document.ts";

export const diffDocumentSchema = z.strictObject({
  id: z.string(),
  state: z.string(),
  pool: z.string().nullable(),
  /** `none`: there was nothing to change; `gone`: nobody can take it any more */
  status: z.enum(["taken", "not_yet", "none", "gone"]),
  /** null where it was taken */
  why: z.string().nullable(),
  diff: runDiffSchema.nullable(),
});
export type DiffDocument = Readonly<z.infer<typeof diffDocumentSchema>>;

export async function readDiffDocument(
  deps: { readonly redis: Redis; readonly keyring: Keyring },
  id: string,
): Promise<DiffDocument> {
  await assertSubmitted(deps.redis, id);
  const run = await readRun(deps.redis, id);
  const head = { id, state: run?.state ?? "queued", pool: run?.pool ?? null };
  const diff = run?.endedAt === undefined ? null : await readRunDiff(deps, id);
  if (diff !== null && diff.endedAt === run?.endedAt) return { ...head, status: "taken", why: null, diff };
  return { ...head, ...absence(run), diff: null };
}

function absence(run: RunHash | null): Pick<DiffDocument, "status" | "why"> {
  if (run?.endedAt === undefined) {
    return { status: "not_yet", why: `the run is ${run?.state ?? "queued"}; its diff is taken at its end` };
  }
  if (run.plan === undefined || run.plan.workspace === null) {
    return { status: "none", why: "the run has no workspace" };
  }
  const pool = run.pool ?? run.plan.pool;
  if (pool === undefined) return { status: "none", why: "no call of the run came to an executor" };
  if (run.errorClass === "POOL_LOST") {
    return { status: "gone", why: `pool ${pool} is gone, and the run's workspace with it` };
  }
  return { status: "not_yet", why: `no executor of pool ${pool} has taken it yet` };
}
