import { createHash } from "node:crypto";
import type { JsonObject } from "@airlock/core/json";
import { z } from "zod";
import type { FileState } from "../workspace/index.ts";
import type { ProbeContext, ProbeFinding } from "./tool-body.ts";

/** One file that a call changes, as it is before and as it will be. Null: there is none. */
export interface ExpectedChange {
  readonly path: string;
  readonly before: FileState | null;
  readonly after: FileState | null;
}

const fileState = z
  .strictObject({
    type: z.enum(["file", "directory", "symlink", "other"]),
    size: z.number(),
    sha256: z.string().nullable(),
    executable: z.boolean(),
  })
  .nullable();
const expectedFiles = z.strictObject({
  files: z.array(z.strictObject({ path: z.string(), before: fileState, after: fileState })),
});

export function expectFiles(changes: readonly ExpectedChange[]): JsonObject {
  const files = changes.map(({ path, before, after }) => ({
    path,
    before: before === null ? null : { ...before },
    after: after === null ? null : { ...after },
  }));
  return { files };
}

/** The state of a plain file with this content. */
export function plainFile(bytes: Uint8Array, executable: boolean): FileState {
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  return { type: "file", size: bytes.byteLength, sha256, executable };
}

/** Every file is as it was to become: done. Every one is as it was: not done. Anything between is nobody's to say. */
export async function probeFiles(context: ProbeContext, expected: JsonObject): Promise<ProbeFinding> {
  const parsed = expectedFiles.safeParse(expected);
  if (!parsed.success || parsed.data.files.length === 0) return "inconclusive";
  let done = true;
  let untouched = true;
  for (const { path, before, after } of parsed.data.files) {
    const found = await context.files.state(path);
    if (!found.ok) return "inconclusive";
    done &&= sameState(found.state, after);
    untouched &&= sameState(found.state, before);
  }
  if (done) return "done";
  return untouched ? "not_done" : "inconclusive";
}

function sameState(found: FileState | null, wanted: FileState | null): boolean {
  if (found === null || wanted === null) return found === wanted;
  // A file that was too large to be hashed could be any other of its size.
  if (found.type === "file" && found.sha256 === null) return false;
  return (
    found.type === wanted.type &&
    found.size === wanted.size &&
    found.sha256 === wanted.sha256 &&
    found.executable === wanted.executable
  );
}
