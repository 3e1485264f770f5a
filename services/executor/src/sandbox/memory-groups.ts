// A cgroup that was delegated to the executor in, one group below it for each call out, whose processes have a bounded memory
// all together; refuses a folder that is no cgroup with a memory controller.
import { readFileSync, writeFileSync } from "node:fs";
import { access, mkdir, readdir, rmdir, stat } from "node:fs/promises";
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { AirlockError } from "@airlock/core/fault";

export interface MemoryGroup {
  /** Takes in a process, and with it all that it starts from then on. Throws where the kernel refuses it. */
  admit(pid: number): void;
  /** Once nothing of it is alive. */
  remove(): Promise<void>;
}

export interface MemoryGroups {
  /** Throws where no group can be made: nothing runs then. */
  make(memoryBytes: number): Promise<MemoryGroup>;
}

interface Limit {
  readonly file: string;
  readonly value: (memoryBytes: number) => string;
  /** A kernel that doesn't account for swap lacks the file. */
  readonly optional: boolean;
}

/** In this order: version 1 wants the limit with swap to be no smaller than the one without. */
const LIMITS = {
  2: [
    { file: "memory.max", value: String, optional: false },
    { file: "memory.swap.max", value: () => "0", optional: true },
    // One process over the limit ends the call, not some other process of it.
    { file: "memory.oom.group", value: () => "1", optional: true },
  ],
  1: [
    { file: "memory.limit_in_bytes", value: String, optional: false },
    { file: "memory.memsw.limit_in_bytes", value: String, optional: true },
  ],
} as const satisfies Record<1 | 2, readonly Limit[]>;

const PREFIX = "airlock-call-";
/** A group of nobody is one that a killed executor left; a younger one may be about to get its first process. */
const ABANDONED_MS = 60_000;
const REMOVED_WITHIN_MS = 2_000;
const POLL_MS = 10;

export async function openMemoryGroups(folder: string): Promise<MemoryGroups> {
  const version = await versionOf(folder);
  if (version === 2) handDown(folder);
  await removeAbandoned(folder);
  return {
    async make(memoryBytes) {
      const place = join(folder, `${PREFIX}${randomUUID()}`);
      await mkdir(place);
      const remove = (): Promise<void> => removeGroup(place);
      try {
        for (const limit of LIMITS[version]) await setLimit(place, limit, memoryBytes);
      } catch (error) {
        await remove();
        throw error;
      }
      return { admit: (pid) => writeFileSync(join(place, "cgroup.procs"), String(pid)), remove };
    },
  };
}

async function versionOf(folder: string): Promise<1 | 2> {
  for (const [version, mark] of [
    [2, "cgroup.controllers"],
    [1, "memory.limit_in_bytes"],
  ] as const) {
    if (await exists(join(folder, mark))) return version;
  }
  throw new AirlockError("CONFIG_INVALID", "AIRLOCK_CGROUP is no cgroup with a memory controller");
}

/** Version 2 gives a group's children a controller only where the group itself says so. */
function handDown(folder: string): void {
  const file = join(folder, "cgroup.subtree_control");
  try {
    if (!readFileSync(file, "utf8").split(/\s/).includes("memory")) writeFileSync(file, "+memory");
  } catch (error) {
    const fix = "delegate the memory controller, and keep the executor itself in a group beside the calls'";
    throw new AirlockError("CONFIG_INVALID", `AIRLOCK_CGROUP can't limit memory: ${fix}`, { cause: error });
  }
}

async function setLimit(place: string, limit: Limit, memoryBytes: number): Promise<void> {
  const file = join(place, limit.file);
  if (limit.optional && !(await exists(file))) return;
  writeFileSync(file, limit.value(memoryBytes));
}

/** The kernel holds a group for a moment after its last process. What stays is taken away at a later start. */
async function removeGroup(place: string): Promise<void> {
  for (const deadline = performance.now() + REMOVED_WITHIN_MS; ; await delay(POLL_MS)) {
    if (await wasRemoved(place)) return;
    if (performance.now() > deadline) return;
  }
}

async function removeAbandoned(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!name.startsWith(PREFIX)) continue;
    const place = join(folder, name);
    const made = await stat(place).catch(() => null);
    if (made !== null && Date.now() - made.mtimeMs > ABANDONED_MS) await wasRemoved(place);
  }
}

function wasRemoved(place: string): Promise<boolean> {
  // Refused while something lives in it.
  return rmdir(place).then(
    () => true,
    () => false,
  );
}

function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
