import type { ChildProcess } from "node:child_process";
import type { MemoryGroup } from "./memory-groups.ts";

/**
 * A bubblewrap that waits in, and one that goes on out, once its first process is in the call's group: all that it starts is
 * then in it as well. Where the kernel refuses that, bubblewrap is killed while it waits, so nothing has run.
 */
export interface Admission {
  admit(pid: number): void;
  /** Why the call could not be bounded; null where it was, or bubblewrap never got that far. */
  refusal(): string | null;
}

export function createAdmission(child: ChildProcess, blockFd: number, group: MemoryGroup): Admission {
  const block = child.stdio[blockFd];
  // It may be killed while it waits.
  block?.on("error", () => {});
  let admitted = false;
  let refusal: string | null = null;
  return {
    admit(pid) {
      if (admitted || refusal !== null) return;
      try {
        group.admit(pid);
        admitted = true;
        if (block && "end" in block) block.end("x", () => block.destroy());
      } catch (error) {
        refusal = `the call's cgroup takes no process: ${error instanceof Error ? error.message : "no reason"}`;
        child.kill("SIGKILL");
      }
    },
    refusal: () => refusal,
  };
}
