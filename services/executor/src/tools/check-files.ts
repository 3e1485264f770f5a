import { createHash } from "node:crypto";
import type { JsonObject } from "@airlock/core/json";
import { z } from "zod";
import type { WorkspaceFs } from "../workspace/index.ts";
import { readArguments } from "./read-arguments.ts";
import { lookingTool, refuse, succeed } from "./tool-body.ts";

const wantedFile = z.strictObject({
  path: z.string(),
  minBytes: z.number().optional(),
  sha256: z.string().optional(),
});
type WantedFile = z.infer<typeof wantedFile>;

const MAX_FILE_BYTES = 64 * 1024 * 1024;

type Looked =
  | { readonly ok: true; readonly file: JsonObject }
  | { readonly ok: false; readonly detail: string };

/** The files that have to be there in, size and digest of each out; refuses with every one that is missing or another. */
export const checkFilesTool = lookingTool(async (context, args, signal) => {
  const parsed = readArguments(z.strictObject({ files: z.array(wantedFile) }), args);
  if (!parsed.ok) return parsed.refusal;
  const looked: Looked[] = [];
  for (const file of parsed.value.files) {
    if (signal.aborted) return refuse("CANCELLED", "cancelled before every file was looked at");
    looked.push(await lookAt(context.files, file));
  }
  const wrong = looked.flatMap((each) => (each.ok ? [] : [each.detail]));
  if (wrong.length > 0) return refuse("ARTIFACT_INVALID", wrong.join("; "));
  return succeed({ files: looked.flatMap((each) => (each.ok ? [each.file] : [])) });
});

async function lookAt(files: WorkspaceFs, wanted: WantedFile): Promise<Looked> {
  const { path, minBytes = 0, sha256 } = wanted;
  const read = await files.readFile(path, { maxBytes: MAX_FILE_BYTES });
  const wrong = (detail: string): Looked => ({ ok: false, detail: `${JSON.stringify(path)}: ${detail}` });
  if (!read.ok) return wrong(read.missing ? "there is no such file" : read.detail);
  const found = createHash("sha256").update(read.bytes).digest("hex");
  const sizeBytes = read.bytes.byteLength;
  if (sizeBytes < minBytes) return wrong(`it has ${sizeBytes} bytes, and ${minBytes} are the least`);
  if (sha256 !== undefined && sha256 !== found) return wrong("it holds something else than the digest says");
  return { ok: true, file: { path, sizeBytes, sha256: found } };
}
