// The logs of a pool, which lie beside each other on its volume, and their names in Redis: what a lost disk leaves behind.
import { readdir, rename, rm } from "node:fs/promises";
import path from "node:path";
import { globalKeys, type Redis } from "@airlock/core/store";
import { isOwnerName } from "../reconcile/owner.ts";
import { exists, lockVolume, type VolumeLock } from "../workspace/index.ts";
import { markSchema, readMark, type Mark } from "./mark.ts";
import { ownersBelow, readLog, type LoggedCalls } from "./read-log.ts";
import { lockIn, type WriteAheadLog } from "./write-ahead-log.ts";

export interface PoolLogs {
  /** Those of others, used or not. */
  folders(): Promise<readonly string[]>;
  /** Takes over a log that nobody uses, once `hold` has held its calls against Redis. False where it is in use. */
  adopt(folder: string, hold: (calls: LoggedCalls) => Promise<void>): Promise<boolean>;
  /** Every mark that is known, be it on the volume or in Redis alone. */
  marks(): Promise<readonly Mark[]>;
  register(mark: Mark): Promise<void>;
  /** Owners that Redis names, up to an earlier epoch than this one, and whose log is nowhere. */
  lost(epoch: string): Promise<readonly string[]>;
  forget(owner: string): Promise<void>;
}

export function createPoolLogs(redis: Redis, log: WriteAheadLog, pool: string): PoolLogs {
  const own = path.basename(log.folder);
  const key = globalKeys.poolLogs(pool);
  const folders = (): Promise<readonly string[]> => foldersBeside(log.folder);
  const registered = (): Promise<ReadonlyMap<string, Mark>> => registeredIn(redis, key);
  async function forget(owner: string): Promise<void> {
    await redis.hdel(key, owner);
  }
  return {
    folders,
    forget,
    async adopt(folder, hold) {
      const lock = await lockUnused(folder);
      if (lock === null) return false;
      try {
        await hold(await readLog(folder));
        await log.take(folder);
        await forget(path.basename(folder));
        await discard(folder);
      } finally {
        await lock.release();
      }
      return true;
    },
    async marks() {
      const marks = await Promise.all([log.folder, ...(await folders())].map(readMark));
      return [...marks.filter((mark) => mark !== null), ...(await registered()).values()];
    },
    async register(mark) {
      await redis.hset(key, own, JSON.stringify(mark));
    },
    async lost(epoch) {
      const named = await registered();
      const there = await ownersBelow([log.folder, ...(await folders())]);
      // one that was adopted in the meantime is not named any more
      const still = await registered();
      const missing = [...named.keys()].filter(
        (owner) => owner !== own && !there.has(owner) && still.has(owner),
      );
      const stale = missing.filter((owner) => named.get(owner)?.epoch === epoch);
      await Promise.all(stale.map(forget));
      return missing.filter((owner) => !stale.includes(owner));
    },
  };
}

/** Nothing but a log has an owner's name: whatever else lies there is somebody's, and stays. */
async function foldersBeside(own: string): Promise<readonly string[]> {
  const base = path.dirname(own);
  const entries = await readdir(base, { withFileTypes: true });
  const logs = entries.filter((entry) => entry.isDirectory() && isOwnerName(entry.name));
  return logs.map(({ name }) => path.join(base, name)).filter((folder) => folder !== own);
}

/** Null where it is in use, or was adopted in the meantime; throws where it can't be locked. */
async function lockUnused(folder: string): Promise<VolumeLock | null> {
  try {
    return await lockVolume(lockIn(folder), { wait: false });
  } catch (error) {
    if (await exists(folder)) throw error;
    return null;
  }
}

async function registeredIn(redis: Redis, key: string): Promise<ReadonlyMap<string, Mark>> {
  const entries = Object.entries(await redis.hgetall(key));
  return new Map(entries.map(([owner, text]) => [owner, markSchema.parse(JSON.parse(text))]));
}

/** Out of sight first: nobody may lock what is half gone. */
async function discard(folder: string): Promise<void> {
  const hidden = path.join(path.dirname(folder), `.done-${path.basename(folder)}`);
  await rename(folder, hidden);
  await rm(hidden, { recursive: true, force: true });
}
