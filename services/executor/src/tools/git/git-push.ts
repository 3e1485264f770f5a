// Takes a branch's name, gives the current commit on that branch of the one remote that the operator set; refuses other
// names, sources that nothing may be pushed of, and what would overwrite: a branch is created or moved forward.
import { mkdir, stat } from "node:fs/promises";
import { join } from "node:path";
import type { JsonObject } from "@airlock/core/json";
import { z } from "zod";
import { changeWhileHeld } from "../change-while-held.ts";
import { readArguments } from "../read-arguments.ts";
import {
  endedPlan,
  refuse,
  succeed,
  type ProbeContext,
  type ProbeFinding,
  type Tool,
  type ToolOutcome,
} from "../tool-body.ts";
import { isBranchName } from "./branch-name.ts";
import { gitOutside, type OutsideGit } from "./git-outside.ts";
import { pushDir, runCommit } from "./push-dir.ts";
import type { PushTargets } from "./push-targets.ts";
import { COMMIT } from "./revision.ts";

const gitPushArguments = z.strictObject({ branch: z.string() });
const commit = z.string().regex(COMMIT);
const expectedPush = z.strictObject({ branch: z.string(), commit, before: commit.nullable() });
type Push = z.infer<typeof expectedPush>;

export interface PushSettings {
  readonly targets: PushTargets;
  /** A git configuration of the operator's, with credential helpers; empty for none. */
  readonly credentials: string;
}

interface Remote {
  readonly git: OutsideGit;
  readonly address: string;
}

export function gitPushTool(settings: PushSettings): Tool {
  return {
    async plan(context, args, signal) {
      const parsed = readArguments(gitPushArguments, args);
      if (!parsed.ok) return endedPlan(parsed.refusal);
      const { branch } = parsed.value;
      if (!isBranchName(branch)) return endedPlan(refuse("TOOL_FAILED", "this is no name of a branch"));
      const timed = AbortSignal.any([signal, AbortSignal.timeout(context.limits.timeoutMs)]);
      if (settings.targets(context.source) === null) return endedPlan(NOT_SET);
      if (!(await isPrivate(settings.credentials))) return endedPlan(EXPOSED);
      const remote = await remoteOf(settings, context, timed);
      if (remote === null) return endedPlan(UNREACHABLE);
      const found = await runCommit(context.workspace.gitDir);
      if (found === null) return endedPlan(refuse("TOOL_FAILED", "there is no commit to push"));
      const before = await remoteCommit(remote, branch, timed);
      if (before === undefined) return endedPlan(UNREACHABLE);
      const push = { branch, commit: found, before };
      if (before === found)
        return endedPlan(succeed({ ...push, pushed: false, detail: "the branch has it already" }));
      return {
        kind: "ready",
        expected: push,
        run: (running) => {
          const both = AbortSignal.any([running, AbortSignal.timeout(context.limits.timeoutMs)]);
          return changeWhileHeld(context, running, () => pushTo(remote, push, both));
        },
      };
    },
    async probe(context, expected, signal) {
      const parsed = expectedPush.safeParse(expected);
      const both = AbortSignal.any([signal, AbortSignal.timeout(context.limits.timeoutMs)]);
      const remote = await remoteOf(settings, context, both);
      if (!parsed.success || remote === null) return "inconclusive";
      return findingOf(parsed.data, await remoteCommit(remote, parsed.data.branch, both));
    },
  };
}

const NOT_SET = refuse(
  "PUSH_UNAVAILABLE",
  "the operator has set no remote for this repository (AIRLOCK_PUSH of the executor)",
);
const EXPOSED = refuse(
  "PUSH_UNAVAILABLE",
  "the executor's AIRLOCK_PUSH_CREDENTIALS is no file, or may be read by others than its owner",
);
const UNREACHABLE = refuse(
  "PUSH_UNAVAILABLE",
  "the remote could not be asked; its address or credentials may be wrong",
);

async function isPrivate(credentials: string): Promise<boolean> {
  if (credentials === "") return true;
  try {
    const stats = await stat(credentials);
    return stats.isFile() && (stats.mode & 0o077) === 0;
  } catch {
    // It isn't there, or not ours to look at: a push would find no credentials.
    return false;
  }
}

async function remoteOf(
  { targets, credentials }: PushSettings,
  context: ProbeContext,
  signal: AbortSignal,
): Promise<Remote | null> {
  const address = targets(context.source);
  if (address === null) return null;
  const home = join(context.workspace.staging, "push");
  await mkdir(home, { recursive: true, mode: 0o700 });
  const own = { home, credentials, name: context.name };
  const gitDir = await pushDir(home, context.workspace.gitDir, async (at, args) => {
    const made = await gitOutside({ ...own, gitDir: at }, args, signal);
    return made.code === 0;
  });
  return gitDir === null ? null : { git: { ...own, gitDir }, address };
}

/** Null: there is no such branch. Undefined: nobody answered. */
async function remoteCommit(
  { git, address }: Remote,
  branch: string,
  signal: AbortSignal,
): Promise<string | null | undefined> {
  const ref = `refs/heads/${branch}`;
  const asked = await gitOutside(git, ["ls-remote", "--quiet", "--", address, ref], signal);
  if (asked.code !== 0) return undefined;
  const line = asked.stdout.split("\n").find((each) => each.endsWith(`\t${ref}`));
  if (line === undefined) return null;
  const [found = ""] = line.split("\t");
  return COMMIT.test(found) ? found : undefined;
}

function findingOf(push: Push, found: string | null | undefined): ProbeFinding {
  if (found === push.commit) return "done";
  return found === push.before ? "not_done" : "inconclusive";
}

const FLAGS = ["--porcelain", "--no-verify", "--no-follow-tags", "--no-signed", "--recurse-submodules=no"];

async function pushTo(remote: Remote, push: Push, signal: AbortSignal): Promise<ToolOutcome> {
  const refspec = `${push.commit}:refs/heads/${push.branch}`;
  const ran = await gitOutside(remote.git, ["push", ...FLAGS, "--", remote.address, refspec], signal);
  if (ran.code === 0) return succeed({ ...push, pushed: true });
  const reason = refusalOf(ran.stdout);
  if (reason !== null) return failed({ ...push, detail: `the remote refused the push: ${reason}` });
  // Cut off in the middle: only the remote can say what became of it.
  const finding = findingOf(push, await remoteCommit(remote, push.branch, AbortSignal.timeout(30_000)));
  if (finding === "done") return succeed({ ...push, pushed: true });
  if (finding === "not_done" && ran.code !== null) return failed({ ...push, detail: "the push failed" });
  return { status: "unknown", errorClass: "OUTCOME_UNKNOWN", detail: "the end of the push was not seen" };
}

/** Of a line `!<tab>from:to<tab>[rejected] (fetch first)` the last part. */
function refusalOf(stdout: string): string | null {
  const line = stdout.split("\n").find((each) => each.startsWith("!\t"));
  return line?.split("\t")[2]?.slice(0, 200) ?? null;
}

function failed(content: JsonObject): ToolOutcome {
  return { status: "error", errorClass: "TOOL_FAILED", content: { error: "TOOL_FAILED", ...content } };
}
