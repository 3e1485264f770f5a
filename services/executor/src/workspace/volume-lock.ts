import { spawn } from "node:child_process";
import { once } from "node:events";
import { AirlockError } from "@airlock/core/fault";

/** Held until it is released, or until the process that took it is gone, however it went. */
export interface VolumeLock {
  /** Aborts where the lock went without `release`: another process may have it now. */
  readonly lost: AbortSignal;
  release(): Promise<void>;
}

/** Exit code of `flock --nonblock` where somebody else holds the lock; neither it nor `cat` has this one of its own. */
const HELD_ELSEWHERE = 200;

/**
 * The kernel's lock on a file, which all executors that share its disk see: that of a child, `flock` of util-linux, which
 * reads our pipe until its end. It goes when this process does, also by SIGKILL, and no file of a dead process stays locked.
 * Null where another process holds it, unless `wait` says to wait for that one; `signal` ends the waiting, never the lock.
 * Throws SYSTEM_PACKAGE_MISSING without flock, and where the file can't be locked.
 */
export async function lockVolume(
  file: string,
  { wait, signal }: { readonly wait: boolean; readonly signal?: AbortSignal },
): Promise<VolumeLock | null> {
  signal?.throwIfAborted();
  const mode = wait ? [] : ["--nonblock", `--conflict-exit-code=${HELD_ELSEWHERE}`];
  const child = spawn("/usr/bin/flock", [...mode, "--exclusive", "--no-fork", file, "/bin/cat"], {
    // readable in /proc for as long as the lock is held
    env: {},
    cwd: "/",
    stdio: ["pipe", "pipe", "ignore"],
    // a session of its own: Ctrl-C in a terminal must not unlock what still drains
    detached: true,
  });
  const exited = once(child, "exit").then(
    ([code]: unknown[]) => code,
    (cause: unknown) => {
      throw new AirlockError("SYSTEM_PACKAGE_MISSING", "flock does not start; install util-linux", { cause });
    },
  );
  exited.catch(() => undefined); // waited for below
  child.stdin.on("error", () => undefined); // a child that has ended reads no more: its exit tells
  child.stdin.write("\n");
  const giveUp = (): void => void child.kill("SIGKILL");
  signal?.addEventListener("abort", giveUp, { once: true });
  const echoed = new Promise<"held">((resolve) => child.stdout.once("data", () => resolve("held")));
  const first = await Promise.race([echoed, exited]);
  signal?.removeEventListener("abort", giveUp);
  if (first !== "held") {
    signal?.throwIfAborted();
    if (first === HELD_ELSEWHERE) return null;
    throw new AirlockError(
      "WORKSPACE_UNAVAILABLE",
      `${file} can't be locked (flock ended with ${String(first)}); check its disk, its folder and their rights`,
    );
  }
  const lost = new AbortController();
  let released = false;
  child.once("exit", () => {
    if (!released) lost.abort();
  });
  child.unref();
  return {
    lost: lost.signal,
    async release() {
      released = true;
      child.stdin.end();
      await exited;
    },
  };
}
