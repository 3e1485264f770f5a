import { spawn } from "node:child_process";
import { once } from "node:events";

/** Held until it is released, or until the process that took it is gone, however it went. */
export interface VolumeLock {
  release(): Promise<void>;
}

/** Exit code of `flock --nonblock` where somebody else holds the lock. */
const HELD_ELSEWHERE = 1;

/**
 * The kernel's lock on a file of the volume, which all executors of a pool see: a child holds it as long as its standard
 * input is open. Null where another process holds it, unless `wait` says to wait for that one.
 */
export async function lockVolume(
  file: string,
  { wait, signal }: { readonly wait: boolean; readonly signal: AbortSignal },
): Promise<VolumeLock | null> {
  const mode = wait ? [] : ["--nonblock", `--conflict-exit-code=${HELD_ELSEWHERE}`];
  const held = ["/bin/sh", "-c", "echo held; exec cat >/dev/null"];
  const child = spawn("/usr/bin/flock", [...mode, "--exclusive", file, ...held], {
    env: {},
    cwd: "/",
    stdio: ["pipe", "pipe", "ignore"],
    signal,
  });
  const exited = once(child, "exit");
  exited.catch(() => undefined); // waited for below, or aborted by the signal
  child.stdin.on("error", () => undefined);
  const first = await Promise.race([once(child.stdout, "data").then(() => "held" as const), exited]);
  if (first !== "held") {
    if (first[0] === HELD_ELSEWHERE && !wait) return null;
    throw new Error(`flock ended with ${String(first[0])} instead of holding ${file}`);
  }
  return {
    async release() {
      child.stdin.end();
      await exited.catch(() => undefined);
    },
  };
}
