import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { z } from "zod";
import { fitText } from "./fit-text.ts";
import { readArguments } from "./read-arguments.ts";
import { lookingTool, refuse, succeed } from "./tool-body.ts";

const readFileArguments = z.strictObject({
  path: z.string(),
  startLine: z.number().int().min(1).optional(),
  endLine: z.number().int().min(1).optional(),
});

const MAX_FILE_BYTES = 16 * 1024 * 1024;

/** A path in, the file's text or a range of its lines out; refuses what is not a plain UTF-8 file. */
export const readFileTool = lookingTool(async (context, args) => {
  const parsed = readArguments(readFileArguments, args);
  if (!parsed.ok) return parsed.refusal;
  const { path, startLine, endLine } = parsed.value;
  const file = await context.files.readFile(path, { maxBytes: MAX_FILE_BYTES });
  if (!file.ok) return refuse(file.errorClass, file.detail);
  const bytes = Buffer.from(file.bytes);
  const text = bytes.toString();
  if (!Buffer.from(text).equals(bytes)) return refuse("TOOL_FAILED", "the file is not UTF-8 text");
  const lines = splitLines(text);
  const first = startLine ?? 1;
  const last = Math.min(endLine ?? lines.length, lines.length);
  const fitted = fitText(lines.slice(first - 1, last).join(""), context.limits.outputBytes);
  return succeed({
    path,
    content: fitted.text,
    startLine: first,
    endLine: last,
    totalLines: lines.length,
    sizeBytes: bytes.length,
    sha256: createHash("sha256").update(bytes).digest("hex"),
    omittedBytes: fitted.omittedBytes,
  });
});

/** Each line keeps its ending, so that the whole range is the file byte for byte. */
function splitLines(text: string): readonly string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}
