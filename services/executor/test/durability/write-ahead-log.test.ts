import { readFileSync, readlinkSync } from "node:fs";
import {
  appendFile,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  truncate,
  utimes,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Ending } from "@airlock/core/ledger";
import { itemKey, newRunId } from "@airlock/core/record";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { decodeLine, encodeLine } from "../../src/durability/log-line.ts";
import { logFiles, readLog } from "../../src/durability/read-log.ts";
import { lockVolume } from "../../src/workspace/index.ts";
import { readMark } from "../../src/durability/mark.ts";
import { openWriteAheadLog, type WriteAheadLog } from "../../src/durability/write-ahead-log.ts";

const ENDING: Ending = {
  transition: "commit",
  status: "ok",
  errorClass: null,
  detail: null,
  content: "sealed",
  contentDigest: "c".repeat(64),
  resultBytes: 3,
  durationMs: 4,
};

let base: string;
let logs: WriteAheadLog[];

beforeEach(async () => {
  base = await mkdtemp(path.join(tmpdir(), "airlock-log-"));
  logs = [];
});
afterEach(async () => {
  await Promise.all(logs.map((log) => log.close()));
  await rm(base, { recursive: true });
});

async function open(owner: string): Promise<WriteAheadLog> {
  const log = await openWriteAheadLog(base, owner);
  logs.push(log);
  return log;
}

function start(ordinal = 0, fence = 1) {
  const key = itemKey({ run: newRunId(), turn: 1, attempt: 1, ordinal });
  const call = {
    grant: 1,
    digest: "a".repeat(64),
    tool: "write_file",
    effect: "mutating",
    owner: "x",
  } as const;
  return { itemKey: key, fence, ...call };
}

/** The only file of a log, which its owner has closed. */
async function onlyFile(folder: string): Promise<string> {
  const [file, ...others] = await logFiles(folder);
  expect(others).toEqual([]);
  return file ?? "";
}

async function closed(log: WriteAheadLog): Promise<void> {
  logs.splice(logs.indexOf(log), 1);
  await log.close();
}

describe("a write-ahead log", () => {
  test("gives back the latest start of each call, and its end where there is one", async () => {
    const log = await open("one");
    const [ended, begun] = [start(0), start(1)];
    await log.started(ended);
    await log.committed(ended, ENDING);
    await log.started(begun);
    await log.started({ ...begun, fence: 4 });
    const calls = await log.read();
    expect(calls.get(ended.itemKey)?.committed?.ending).toEqual(ENDING);
    expect(calls.get(begun.itemKey)).toMatchObject({ started: { ...begun, fence: 4 }, committed: null });
    expect([log.knownFence(begun.itemKey), log.knownFence("none")]).toEqual([4, 0]);
  });

  test("takes an end only for the start of its own fence", async () => {
    const log = await open("one");
    const call = start();
    await log.started({ ...call, fence: 2 });
    await log.committed({ ...call, fence: 1 }, ENDING);
    expect((await log.read()).get(call.itemKey)?.committed).toBeNull();
  });

  test("keeps every one of many lines that come together", async () => {
    const log = await open("one");
    const calls = Array.from({ length: 200 }, (_, at) => start(at));
    await Promise.all(calls.map((call) => log.started(call)));
    expect([...(await log.read()).keys()]).toEqual(calls.map((call) => call.itemKey));
  });

  test("reads what was acknowledged wherever a crash cut the file", async () => {
    const log = await open("one");
    const calls = [start(0), start(1)];
    for (const call of calls) await log.started(call);
    await closed(log);
    const file = await onlyFile(log.folder);
    const text = await readFile(file, "utf8");
    for (let length = text.length; length >= 0; length -= 7) {
      await truncate(file, length);
      const whole = text.slice(0, length).split("\n").length - 1;
      expect((await readLog(log.folder)).size).toBe(Math.max(0, whole - 1));
    }
  });

  test("refuses a line in the middle that was changed, by file and number", async () => {
    const log = await open("one");
    await log.started(start(0));
    await log.started(start(1));
    await closed(log);
    const file = await onlyFile(log.folder);
    const text = await readFile(file, "utf8");
    await writeFile(file, text.replace('"fence":1', '"fence":2'));
    await expect(readLog(log.folder)).rejects.toThrow(`${file}, line 2,`);
    await expect(readLog(log.folder)).rejects.toMatchObject({ code: "WRITE_AHEAD_CORRUPT" });
  });

  test("goes on in another file after a torn end, and takes over the files of others", async () => {
    const old = await open("old");
    const call = start(0, 7);
    await old.started(call);
    await appendFile(await onlyFile(old.folder), "0123abcd {torn");
    await closed(old);
    const log = await open("new");
    await log.take(old.folder);
    expect(log.knownFence(call.itemKey)).toBe(7);
    expect((await log.read()).get(call.itemKey)?.started.fence).toBe(7);
    expect(await logFiles(old.folder)).toEqual([]);
  });

  test("says what keeps it from writing, and goes on once that is mended", async () => {
    const log = await open("one");
    await rm(log.folder, { recursive: true });
    await expect(log.started(start(0))).resolves.toBeUndefined(); // the open file is still there
    await fillUp(log);
    await expect(log.started(start(1))).rejects.toThrow("ENOENT");
    expect(log.trouble()).toBe(`the write-ahead log in ${log.folder} can't be written: ENOENT`);
    expect(await log.mend()).toBe(false);
  });

  test("drops files that are too old for any failover, but none of a call that still runs", async () => {
    const log = await open("one");
    await log.started(start(0));
    const old = await onlyFile(log.folder);
    await utimes(old, 1, 1);
    await fillUp(log);
    await log.started(start(1));
    await stat(old);
    expect(await readMark(log.folder)).toBeNull();
  });
});

/** Grows the file to the size at which another is begun. */
async function fillUp(log: WriteAheadLog): Promise<void> {
  await log.committed(start(9), { ...ENDING, content: "x".repeat(17_000_000) });
}

describe("a file's lock", () => {
  const now = { wait: false };

  test("is had by one only, and by the next one after it", async () => {
    const file = path.join(base, "lock");
    const lock = await lockVolume(file, now);
    expect(await lockVolume(file, now)).toBeNull();
    await lock?.release();
    const next = await lockVolume(file, now);
    expect(next).not.toBeNull();
    expect(next?.lost.aborted).toBe(false);
    await next?.release();
  });

  test("that can't be had is an error, and not somebody else's", async () => {
    await expect(lockVolume(path.join(base, "none", "lock"), now)).rejects.toThrow(
      /none\/lock can't be locked/,
    );
  });

  test("is held by a program that knows nothing of the executor's environment", async () => {
    const lock = await lockVolume(path.join(base, "lock"), now);
    const holder = (await readdir("/proc")).find((pid) => cmdlineOf(pid).includes(base));
    expect(readFileSync(`/proc/${holder}/environ`, "utf8")).toBe("");
    await lock?.release();
  });

  test("says when its holder was killed; who waits for one can be told to stop", async () => {
    const file = path.join(base, "lock");
    const lock = await lockVolume(file, now);
    const stop = new AbortController();
    const waiting = lockVolume(file, { wait: true, signal: stop.signal });
    stop.abort(new Error("stopped"));
    await expect(waiting).rejects.toThrow("stopped");
    const lost = new Promise((resolve) => lock?.lost.addEventListener("abort", resolve));
    const holder = (await readdir("/proc")).find((pid) => cmdlineOf(pid).includes(base));
    process.kill(Number(holder), "SIGKILL");
    await lost;
  });
});

/** `cat` names no file: flock, whose place it takes, does. */
function cmdlineOf(pid: string): string {
  const held = [`/proc/${pid}/cmdline`, `/proc/${pid}/fd/3`];
  try {
    return `${readFileSync(held[0] ?? "", "utf8")} ${readlinkSync(held[1] ?? "")}`;
  } catch {
    return "";
  }
}

describe("a line", () => {
  test("is read as it was written, and in no other form", () => {
    fc.assert(
      fc.property(fc.string(), fc.nat(), fc.nat(), (content, at, by) => {
        const line = {
          type: "committed",
          at,
          itemKey: "i",
          fence: 1,
          ending: { ...ENDING, content },
        } as const;
        const text = encodeLine(line).slice(0, -1);
        expect(decodeLine(text)).toEqual(line);
        const place = by % text.length;
        const changed = `${text.slice(0, place)}${text[place] === "0" ? "1" : "0"}${text.slice(place + 1)}`;
        expect(decodeLine(changed)).toBeNull();
      }),
    );
  });
});
