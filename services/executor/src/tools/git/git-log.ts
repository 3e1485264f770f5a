// Takes a path and where to start, gives the commits that changed it; refuses a path that no read may take.
import type { JsonObject } from "@airlock/core/json";
import { z } from "zod";
import { parseWorkspacePath } from "../../workspace/index.ts";
import { fitEntries } from "../fit-entries.ts";
import { readArguments } from "../read-arguments.ts";
import { lookingTool, refuse, succeed } from "../tool-body.ts";
import { gitInSandbox } from "./git-in-sandbox.ts";
import { COMMIT, REVISION } from "./revision.ts";

const gitLogArguments = z.strictObject({
  path: z.string(),
  start: z.string().regex(REVISION).optional(),
  maxCount: z.number().int().min(1).max(200).optional(),
});

const FIELDS = ["%H", "%P", "%an", "%ae", "%aI", "%B"];
const FLAGS = ["--no-color", "--no-show-signature", "--no-ext-diff", "--no-textconv", "--no-renames"];
const MAX_FILES = 100;

export const gitLogTool = lookingTool(async (context, args, signal) => {
  const parsed = readArguments(gitLogArguments, args);
  if (!parsed.ok) return parsed.refusal;
  const { path, start = "HEAD", maxCount = 20 } = parsed.value;
  const place = parseWorkspacePath(path, "read");
  if (!place.ok) return refuse(place.errorClass, place.detail);
  const format = ["-z", "--name-status", `--format=${FIELDS.join("%x00")}`, `--max-count=${maxCount}`];
  const operands = place.components.length === 0 ? [] : [place.components.join("/")];
  const log = ["log", ...FLAGS, ...format, start, "--", ...operands];
  const ran = await gitInSandbox(context, { args: log, profile: "read" }, signal);
  if (!ran.ok) return ran.outcome;
  const commits = readLog(ran.text);
  const fitting = fitEntries(commits, context.limits.outputBytes);
  const truncated = ran.truncated || fitting.length < commits.length;
  return succeed({ commits: fitting, truncated, durationMs: ran.durationMs });
});

/** Fields end with NUL, which none of them can hold; a commit's changes follow as pairs of a letter and a path. */
export function readLog(text: string): readonly JsonObject[] {
  const tokens = text.split("\0");
  const commits: JsonObject[] = [];
  let at = 0;
  while (at + FIELDS.length < tokens.length + 1) {
    const [commit = "", parents = "", name = "", email = "", date = "", message = ""] = tokens.slice(at);
    if (!COMMIT.test(commit)) break;
    at += FIELDS.length;
    const files: JsonObject[] = [];
    for (;;) {
      const change = /^\n?([ADMTUX])$/.exec(tokens[at] ?? "")?.[1];
      const path = tokens[at + 1];
      if (change === undefined || path === undefined) break;
      files.push({ change, path });
      at += 2;
    }
    commits.push({
      commit,
      parents: parents.split(" ").filter((parent) => parent !== ""),
      author: { name, email },
      date,
      message: message.trimEnd(),
      files: files.slice(0, MAX_FILES),
      moreFiles: Math.max(0, files.length - MAX_FILES),
    });
  }
  return commits;
}
