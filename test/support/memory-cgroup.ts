import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { randomUUID } from "node:crypto";
import path from "node:path";

export interface MemoryCgroup {
  readonly folder: string;
  readonly version: 1 | 2;
  remove(): void;
}

/**
 * A cgroup of the test's own that can limit memory, as an operator would delegate it; null on a machine that gives us none.
 * Version 2 wants the processes of a group in its leaves, so it is made below the root, where nobody is in the way.
 */
export function makeMemoryCgroup(): MemoryCgroup | null {
  const name = `airlock-test-${randomUUID()}`;
  const own = /^\d+:memory:(.*)$/m.exec(readFileSync("/proc/self/cgroup", "utf8"))?.[1];
  try {
    if (own !== undefined && existsSync("/sys/fs/cgroup/memory")) {
      return made(path.join("/sys/fs/cgroup/memory", own, name), 1);
    }
    writeFileSync("/sys/fs/cgroup/cgroup.subtree_control", "+memory");
    return made(path.join("/sys/fs/cgroup", name), 2);
  } catch {
    // Not root, or in a container: nobody delegates anything here.
    return null;
  }
}

function made(folder: string, version: 1 | 2): MemoryCgroup {
  mkdirSync(folder);
  return { folder, version, remove: () => rmdirSync(folder) };
}
