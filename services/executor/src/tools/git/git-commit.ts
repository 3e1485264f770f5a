// Takes a message and maybe a path, gives a commit of what changed below it; refuses where nothing may be committed. Files
// that policy doesn't let the run write, links, and repositories within the tree, are left out and named.
import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { JsonObject } from "@airlock/core/json";
import { parseItemKey } from "@airlock/core/record";
import { z } from "zod";
import { parseWorkspacePath, touchesTrustedConfig } from "../../workspace/index.ts";
import { changeWhileHeld } from "../change-while-held.ts";
import { fitEntries } from "../fit-entries.ts";
import { readArguments } from "../read-arguments.ts";
import {
  endedPlan,
  refuse,
  succeed,
  type ProbeContext,
  type ProbeFinding,
  type Tool,
  type ToolContext,
  type ToolOutcome,
} from "../tool-body.ts";
import { committable } from "./committable.ts";
import { gitInSandbox } from "./git-in-sandbox.ts";
import { readStatus, STATUS_ARGUMENTS, type StatusEntry } from "./read-status.ts";
import { COMMIT } from "./revision.ts";

const gitCommitArguments = z.strictObject({ message: z.string().min(1), path: z.string().optional() });
const expectedCommit = z.strictObject({ parent: z.string().regex(COMMIT) });

/** Of names in a result, each list for itself. */
const MAX_TOLD_BYTES = 16 * 1024;

export interface Author {
  readonly name: string;
  readonly email: string;
}

export function gitCommitTool(author: Author): Tool {
  return {
    async plan(context, args, signal) {
      const parsed = readArguments(gitCommitArguments, args);
      if (!parsed.ok) return endedPlan(parsed.refusal);
      const { message, path = "." } = parsed.value;
      // What a probe looks for is written here, and by nobody else.
      if (/^airlock-/im.test(message) || message.includes("\0")) {
        return endedPlan(
          refuse("TOOL_FAILED", "a line of the message begins with `Airlock-`, or it holds a NUL byte"),
        );
      }
      const place = parseWorkspacePath(path, "read");
      if (!place.ok) return endedPlan(refuse(place.errorClass, place.detail));
      const operands = ["--", place.components.join("/") || "."];
      const ran = await gitInSandbox(
        context,
        { args: [...STATUS_ARGUMENTS, ...operands], profile: "read" },
        signal,
      );
      if (!ran.ok) return endedPlan(ran.outcome);
      if (ran.truncated)
        return endedPlan(refuse("TOOL_FAILED", "too many files differ; give the path of a folder"));
      const { commit, entries } = readStatus(ran.text);
      const { taken, leftOut } = await committable(context, entries);
      if (commit === null || taken.length === 0) return endedPlan(nothing(leftOut));
      const wanted = { message: withTrailers(message, context.itemKey), parent: commit, taken, leftOut };
      return {
        kind: "ready",
        expected: { parent: commit },
        run: (running) =>
          changeWhileHeld(context, running, () => commitFiles(context, { ...wanted, author }, running)),
      };
    },
    probe: probeCommit,
  };
}

function nothing(leftOut: readonly StatusEntry[]): ToolOutcome {
  const names = fitEntries(pathsOf(leftOut), MAX_TOLD_BYTES);
  const more =
    names.length === 0 ? "" : `; these are left out, by policy or for their kind: ${names.join(", ")}`;
  return refuse("TOOL_FAILED", `there is nothing to commit${more}`);
}

function pathsOf(entries: readonly StatusEntry[]): readonly string[] {
  return entries.map(({ path }) => path);
}

function withTrailers(message: string, itemKey: string): string {
  const run = parseItemKey(itemKey)?.run ?? "";
  return `${message.trimEnd()}\n\nAirlock-Run: ${run}\nAirlock-Item: ${itemKey}\n`;
}

interface Commit {
  readonly message: string;
  readonly parent: string;
  readonly author: Author;
  readonly taken: readonly StatusEntry[];
  readonly leftOut: readonly StatusEntry[];
}

/** What a git that was killed left behind. Only one call at a time writes to a run's git dir. */
const LOCKS = ["index.lock", "HEAD.lock", "refs/heads/airlock.lock"] as const;

async function commitFiles(context: ToolContext, commit: Commit, signal: AbortSignal): Promise<ToolOutcome> {
  for (const lock of LOCKS) await rm(join(context.workspace.gitDir, lock), { force: true });
  const stdin = commit.taken.map(({ path }) => `${path}\0`).join("");
  const paths = ["--pathspec-from-file=-", "--pathspec-file-nul"];
  const added = await gitInSandbox(
    context,
    { args: ["add", "--all", ...paths], profile: "git", stdin },
    signal,
  );
  if (!added.ok) return added.outcome;
  const flags = ["--quiet", "--no-verify", "--no-gpg-sign", "--cleanup=verbatim", "--only", ...paths];
  const committed = await gitInSandbox(
    context,
    {
      args: ["commit", ...flags, `--message=${commit.message}`],
      profile: "git",
      stdin,
      environment: {
        GIT_AUTHOR_NAME: commit.author.name,
        GIT_AUTHOR_EMAIL: commit.author.email,
        GIT_COMMITTER_NAME: commit.author.name,
        GIT_COMMITTER_EMAIL: commit.author.email,
      },
    },
    signal,
  );
  if (!committed.ok) return committed.outcome;
  const head = await gitInSandbox(
    context,
    { args: ["rev-parse", "--verify", "HEAD"], profile: "read" },
    signal,
  );
  // it is made, whatever became of the look at it: the probe will find it
  if (!head.ok)
    return { status: "unknown", errorClass: "OUTCOME_UNKNOWN", detail: "the commit was not seen" };
  return succeed({
    commit: head.text.trim(),
    parent: commit.parent,
    files: fitEntries(commit.taken.map(changedFile), MAX_TOLD_BYTES),
    totalFiles: commit.taken.length,
    leftOut: fitEntries(pathsOf(commit.leftOut), MAX_TOLD_BYTES),
    touchesTrustedConfig: commit.taken.some(({ path }) => touchesTrustedConfig(path.split("/"))),
    durationMs: added.durationMs + committed.durationMs,
  });
}

function changedFile({ path, kind }: StatusEntry): JsonObject {
  return { path, kind, touchesTrustedConfig: touchesTrustedConfig(path.split("/")) };
}

/** A commit that names the call, since the one that it was to follow. */
async function probeCommit(
  context: ProbeContext,
  expected: JsonObject,
  signal: AbortSignal,
): Promise<ProbeFinding> {
  const parsed = expectedCommit.safeParse(expected);
  if (!parsed.success) return "inconclusive";
  const { parent } = parsed.data;
  const log = ["log", "-z", "--no-show-signature", "--max-count=100", "--format=%B", `${parent}..HEAD`, "--"];
  const ran = await gitInSandbox(context, { args: log, profile: "read" }, signal);
  if (!ran.ok || ran.truncated) return "inconclusive";
  if (ran.text === "") return "not_done";
  const trailer = `Airlock-Item: ${context.itemKey}`;
  const named = ran.text.split("\0").some((message) => message.split("\n").includes(trailer));
  return named ? "done" : "inconclusive";
}
