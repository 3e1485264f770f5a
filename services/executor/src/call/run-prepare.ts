// An operator's `prepare` command and a fresh tree in; the command has run there, in a sandbox that sees the network and no
// secret. Refuses where no sandbox holds, and whatever doesn't end with exit code 0; its output goes to the log alone.
import { AirlockError } from "@airlock/core/fault";
import type { Log } from "@airlock/core/runtime";
import type { Deps } from "../deps.ts";
import { DEFAULT_SANDBOX_LIMITS, lacks, type SandboxResult } from "../sandbox/index.ts";
import type { RunPrepare } from "../workspace/index.ts";

/** Package managers build and unpack more than an agent's commands do. */
const LIMITS = {
  ...DEFAULT_SANDBOX_LIMITS,
  outputBytes: 4 * 1024 * 1024,
  processes: 1_024,
  openFiles: 4_096,
  fileBytes: 8 * 2 ** 30,
  cpuSeconds: 7_200,
  tmpBytes: 2 ** 30,
};
const TAIL_CHARACTERS = 2_000;

export function createRunPrepare(sandbox: Deps["sandbox"], log: Log): RunPrepare {
  return async ({ tree, cache, name, step }, signal) => {
    const missing = lacks("command", sandbox);
    if (sandbox === null || missing.length > 0) {
      throw unprepared(`there is no sandbox for it: ${missing.join(", ")}`);
    }
    const session = await sandbox.backend.open({ tree, git: null, cache }, LIMITS);
    try {
      const result = await session.exec(
        {
          name,
          fenceHolds: () => Promise.resolve(true),
          argv: step.command,
          cwdRel: "",
          profile: "prepare",
          timeoutMs: step.timeoutMs,
        },
        signal,
      );
      if (result.kind === "exited" && result.code === 0) return;
      log.write("error", "workspace_prepare_failed", { place: name, detail: tailOf(result) });
      throw unprepared(wordsOf(result));
    } finally {
      await session.close();
    }
  };
}

function unprepared(why: string): AirlockError {
  return new AirlockError("WORKSPACE_UNAVAILABLE", `the prepare step failed: ${why}`);
}

function wordsOf(result: SandboxResult): string {
  if (result.kind === "exited") return `exit code ${result.code}`;
  return "reason" in result ? result.reason : result.kind;
}

function tailOf(result: SandboxResult): string {
  if (!("stderr" in result)) return wordsOf(result);
  const texts = [result.stdout, result.stderr].map(({ head, tail }) =>
    Buffer.concat([head, tail]).toString(),
  );
  return texts.map((text) => text.slice(-TAIL_CHARACTERS)).join("\n");
}
