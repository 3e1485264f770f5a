import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { dataPaths, readUpRecord } from "../../src/local/index.ts";
import { identify, isAlive } from "../../src/local/process-identity.ts";
import { claimData, ownIdentity, writeUpRecord, type UpRecord } from "../../src/local/up-record.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "airlock-up-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function record(change: Partial<UpRecord> = {}): UpRecord {
  const redis = { url: "redis://:secret@127.0.0.1:1", embedded: true };
  const empty = { gateway: null, ports: {}, volume: "/v", processes: [] };
  return { version: 1, up: ownIdentity(), redis, ...empty, ...change };
}

/** A process that had our pid once. */
const DEAD = { name: "up", pid: process.pid, startedAt: "1" };

describe("the record of `airlock up`", () => {
  test("is private, and found while its process lives", async () => {
    await claimData(folder, record());
    expect(readUpRecord(folder)).toEqual(record());
    expect(statSync(dataPaths(folder).record).mode & 0o777).toBe(0o600);
  });

  test("keeps a second one out, by pid", async () => {
    await claimData(folder, record());
    await expect(claimData(folder, record())).rejects.toThrow(
      `\`airlock up\` (process ${process.pid}) serves ${folder} already; stop it, or choose another --data`,
    );
  });

  test("of a dead process counts for nothing, even when its pid lives again", async () => {
    writeUpRecord(folder, record({ up: DEAD }));
    expect(readUpRecord(folder)).toBeNull();
    await claimData(folder, record());
    expect(readUpRecord(folder)).toEqual(record());
  });

  test("of a dead process tells what it left running, which is ended", async () => {
    const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "ignore" });
    const gone = once(child, "exit");
    const left = identify("redis", child.pid ?? 0);
    if (left === null) throw new Error("the child did not start");
    writeUpRecord(folder, record({ up: DEAD, processes: [left, { ...ownIdentity(), startedAt: "1" }] }));
    await claimData(folder, record());
    await gone;
    expect(isAlive(left)).toBe(false);
  });
});
