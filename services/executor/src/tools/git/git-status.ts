import type { JsonObject } from "@airlock/core/json";
import { z } from "zod";
import { fitEntries } from "../fit-entries.ts";
import { readArguments } from "../read-arguments.ts";
import { lookingTool, succeed } from "../tool-body.ts";
import { gitInSandbox } from "./git-in-sandbox.ts";
import { readStatus, STATUS_ARGUMENTS } from "./read-status.ts";

/** Nothing in, the current commit and every path that differs from it out. */
export const gitStatusTool = lookingTool(async (context, args, signal) => {
  const parsed = readArguments(z.strictObject({}), args);
  if (!parsed.ok) return parsed.refusal;
  const ran = await gitInSandbox(context, { args: STATUS_ARGUMENTS, profile: "read" }, signal);
  if (!ran.ok) return ran.outcome;
  const { commit, branch, entries } = readStatus(ran.text);
  const files = entries.map(({ path, kind }): JsonObject => ({ path, kind }));
  const fitting = fitEntries(files, context.limits.outputBytes);
  return succeed({
    branch,
    commit,
    startCommit: context.workspace.baseRevision,
    files: fitting,
    truncated: ran.truncated || fitting.length < files.length,
    durationMs: ran.durationMs,
  });
});
