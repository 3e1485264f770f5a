import { spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { AirlockError } from "@airlock/core/fault";

/** A folder that the kernel keeps for this process. */
export interface FolderLock {
  /** aborts where the lock went without `release`: another process may have the folder now */
  readonly lost: AbortSignal;
  release(): Promise<void>;
}

/**
 * Null where another process holds it. The lock is that of a child, `flock` of util-linux, which reads our pipe until its
 * end: it goes when this process does, also by SIGKILL, and no file of a dead process stays locked.
 */
export async function lockFolder(folder: string): Promise<FolderLock | null> {
  // a session of its own: Ctrl-C in a terminal must not unlock what still drains
  const child = spawn("flock", ["--exclusive", "--nonblock", "--no-fork", path.join(folder, "lock"), "cat"], {
    stdio: ["pipe", "pipe", "ignore"],
    detached: true,
  });
  const failed = once(child, "error").then(([cause]) => {
    throw new AirlockError("SYSTEM_PACKAGE_MISSING", "flock does not start; install util-linux", { cause });
  });
  failed.catch(() => undefined);
  child.stdin.on("error", () => undefined); // a child that has ended reads no more: its exit tells
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  child.stdin.write("\n");
  const held = once(child.stdout, "data").then(() => true);
  held.catch(() => undefined);
  if (!(await Promise.race([held, exited.then(() => false), failed]))) return null;
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
