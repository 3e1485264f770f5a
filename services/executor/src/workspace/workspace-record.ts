import { open, readFile, rename } from "node:fs/promises";
import { z } from "zod";
import { errnoCode } from "./held-directory.ts";
import type { WorkspacePlaces } from "./workspace-places.ts";

/** What the executor knows of a run's workspace, beside its tree. */
const workspaceRecordSchema = z.strictObject({
  version: z.literal(1),
  source: z.string(),
  ref: z.string(),
  baseRevision: z.string().regex(/^[0-9a-f]{40,64}$/),
  /** folders that `prepare` filled: they belong to the base */
  prepared: z.array(z.string()).default([]),
  /** the tree is gone, or is being removed; milliseconds of Redis' clock */
  removedAt: z.number().exactOptional(),
});
export type WorkspaceRecord = z.infer<typeof workspaceRecordSchema>;

/** Null where there is no workspace. */
export async function readRecord(places: WorkspacePlaces): Promise<WorkspaceRecord | null> {
  try {
    return workspaceRecordSchema.parse(JSON.parse(await readFile(places.record, "utf8")));
  } catch (error) {
    if (errnoCode(error) === "ENOENT") return null;
    throw error;
  }
}

/** Whole or not at all, and on the disk before it returns. */
export async function writeRecord(places: WorkspacePlaces, record: WorkspaceRecord): Promise<void> {
  const written = `${places.record}.new`;
  const file = await open(written, "w", 0o600);
  try {
    await file.writeFile(`${JSON.stringify(record)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(written, places.record);
}
