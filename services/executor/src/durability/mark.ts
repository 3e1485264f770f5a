import { readFile, rename, writeFile } from "node:fs/promises";
import path from "node:path";
import { z } from "zod";
import { syncFolder } from "./append-file.ts";

/** Up to where a log was held against Redis: its epoch, and the least fence that can't have been given out before it. */
export const markSchema = z.strictObject({ epoch: z.string(), fenceFloor: z.int().min(0) });
export type Mark = z.infer<typeof markSchema>;

export async function readMark(folder: string): Promise<Mark | null> {
  try {
    return markSchema.parse(JSON.parse(await readFile(path.join(folder, "mark"), "utf8")));
  } catch {
    // not yet held against anything, or on its way out: either way it vouches for nothing
    return null;
  }
}

export async function writeMark(folder: string, mark: Mark): Promise<void> {
  const next = path.join(folder, "mark.new");
  await writeFile(next, JSON.stringify(mark), { mode: 0o600, flush: true });
  await rename(next, path.join(folder, "mark"));
  await syncFolder(folder);
}
