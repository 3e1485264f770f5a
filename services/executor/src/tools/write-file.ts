import { Buffer } from "node:buffer";
import { z } from "zod";
import { changeContent } from "./change-content.ts";
import { readArguments } from "./read-arguments.ts";
import { CLAIM_LOST, refuse, succeed, type ToolBody } from "./tool-body.ts";

const writeFileArguments = z.strictObject({ path: z.string(), content: z.string() });

/** A path and the whole new content in, the file's state before and after out. */
export const writeFileBody: ToolBody = async (context, args, signal) => {
  const parsed = readArguments(writeFileArguments, args);
  if (!parsed.ok) return parsed.refusal;
  if (signal.aborted) return refuse("CANCELLED", "cancelled before anything was written");
  if (!(await context.fenceHolds())) return CLAIM_LOST;
  const { path, content } = parsed.value;
  const change = await context.files.writeFile(path, Buffer.from(content));
  if (!change.ok) return refuse(change.errorClass, change.detail);
  return succeed(changeContent(path, change));
};
