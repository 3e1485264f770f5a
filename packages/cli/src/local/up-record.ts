import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { AirlockError } from "@airlock/core/fault";
import { z } from "zod";
import { dataPaths } from "./data-paths.ts";
import { endProcess, identify, isAlive, processIdentitySchema } from "./process-identity.ts";

const upRecordSchema = z.strictObject({
  version: z.literal(1),
  up: processIdentitySchema,
  redis: z.strictObject({ url: z.string(), embedded: z.boolean() }),
  gateway: z.string().nullable(),
  ports: z.record(z.string(), z.int()),
  volume: z.string(),
  processes: z.array(processIdentitySchema).readonly(),
});
/** `<data>/up.json`: what other commands need of a running `airlock up`. It holds the CLI's password for Redis. */
export type UpRecord = z.infer<typeof upRecordSchema>;

const GRACE_MS = 15_000;

/** The record of the `airlock up` that serves this folder now, or null. */
export function readUpRecord(data: string): UpRecord | null {
  const record = recordIn(data);
  return record !== null && isAlive(record.up) ? record : null;
}

export function writeUpRecord(data: string, record: UpRecord): void {
  const file = dataPaths(data).record;
  writeNext(file, record);
  renameSync(`${file}.next`, file);
}

export function removeUpRecord(data: string): void {
  rmSync(dataPaths(data).record, { force: true });
}

/**
 * Takes the folder for this process. Throws while another `airlock up` lives; what a dead one left running is ended.
 */
export async function claimData(data: string, record: UpRecord): Promise<void> {
  const file = dataPaths(data).record;
  const left = recordIn(data);
  if (left !== null && isAlive(left.up)) throw taken(data, left.up.pid);
  await Promise.all((left?.processes ?? []).map((identity) => endProcess(identity, GRACE_MS)));
  removeUpRecord(data);
  writeNext(file, record);
  try {
    linkSync(`${file}.next`, file); // fails where another process was faster
  } catch (cause) {
    throw new AirlockError("USAGE", `another \`airlock up\` just took ${data}`, { cause });
  } finally {
    rmSync(`${file}.next`, { force: true });
  }
}

export function ownIdentity(): UpRecord["up"] {
  const identity = identify("up", process.pid);
  if (identity === null) {
    throw new AirlockError(
      "CONFIG_INVALID",
      "`airlock up` needs Linux: there is no /proc to tell processes apart",
    );
  }
  return identity;
}

function taken(data: string, pid: number): AirlockError {
  return new AirlockError(
    "USAGE",
    `\`airlock up\` (process ${pid}) serves ${data} already; stop it, or choose another --data`,
  );
}

function writeNext(file: string, record: UpRecord): void {
  writeFileSync(`${file}.next`, `${JSON.stringify(record, null, 2)}\n`, { mode: 0o600 });
}

function recordIn(data: string): UpRecord | null {
  try {
    return upRecordSchema.parse(JSON.parse(readFileSync(dataPaths(data).record, "utf8")));
  } catch {
    return null; // never started, or a record of another version: nothing of it can be used
  }
}
