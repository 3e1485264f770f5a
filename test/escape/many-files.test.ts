import { existsSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  openGrantedCalls,
  type CallEnd,
  type GrantedCalls,
  type GrantedRun,
} from "../support/granted-calls.ts";
import { startRealExecutor, type ExecutorPlace, type RealExecutor } from "../support/real-executor.ts";

/**
 * How many files one command makes. With AIRLOCK_ESCAPE_FILES=1000000, the reference's number, making them and git's own look at
 * them are what takes the time (docs/sandbox.md has the figures).
 */
const FILES = Number(process.env["AIRLOCK_ESCAPE_FILES"] ?? 100_000);
/** Of a tree that is compared and removed at its run's end. */
const SWEPT_FILES = FILES / 5;
const QUOTA_FILES = 5_000;
/** Of a call that only looks, on a machine with two busy cores. */
const LOOK_MS = 30_000;
/** What looking at and removing such a tree may add to the executor, whatever its size. */
const MORE_BYTES = 256 * 2 ** 20;
const RESULT_BYTES = 256 * 1024;

let executor: RealExecutor;
let calls: GrantedCalls;

beforeAll(async () => {
  executor = await startRealExecutor((place) => ({
    AIRLOCK_REPOSITORIES: writeQuota(place),
    AIRLOCK_WORKSPACE_MS: "0",
  }));
  calls = openGrantedCalls(executor.place);
});
afterAll(async () => {
  await calls.close();
  await executor.close();
});

function writeQuota({ directory, source }: ExecutorPlace): string {
  const file = path.join(directory, "repositories.yaml");
  const quota = `quota: { files: ${QUOTA_FILES} }`;
  writeFileSync(
    file,
    `apiVersion: airlock.repositories/v1\nrepositories:\n  - { source: ${source}, ${quota} }\n`,
  );
  return file;
}

async function timed(work: Promise<CallEnd>): Promise<CallEnd & { readonly ms: number }> {
  const from = performance.now();
  const end = await work;
  return { ...end, ms: performance.now() - from };
}

/** Tiny ones in one folder. */
const wide = (files: number): string =>
  `mkdir "wide" or die; for my $n (1 .. ${files}) { open(my $f, ">", "wide/$n") or die; print $f "x" }`;

/** In folders in folders, each of a name that is listed before the files in it. */
const deep = (files: number): string =>
  `my $at = "deep"; mkdir $at or die;
  for (1 .. 10) {
    for my $n (1 .. ${files / 10}) { open(my $f, ">", "$at/f$n") or die }
    $at .= "/a"; mkdir $at or die;
  }`;

async function filledRun(script: string): Promise<GrantedRun> {
  const run = await calls.run();
  const filled = await run.bash(`perl -e '${script}'`, { timeoutMs: 300_000 });
  expect(filled.code).toBe(0);
  expect(filled.end.result["quota"]).toMatch(
    /over its quota: at least \d+ of \d+ bytes and \d{4,5} of 5000 files/,
  );
  return run;
}

test(`${FILES} files that one command makes are refused at once, and no look at them is longer or larger than its limit`, async () => {
  const before = executor.peakBytes() ?? 0;
  const run = await filledRun(`${wide(FILES / 2)} ${deep(FILES / 2)}`);

  for (const [tool, args] of [
    ["write_file", { path: "one-more", content: "x" }],
    ["run_command", { argv: ["perl", "script.sh"] }],
    ["git_commit", { message: "all of it" }],
  ] as const) {
    const end = await timed(run.call(tool, args));
    expect([tool, end.errorClass, end.ms < LOOK_MS]).toEqual([tool, "QUOTA_EXCEEDED", true]);
  }

  for (const [tool, args, stopped = null] of [
    ["list_files", { path: "wide" }],
    ["list_files", { path: ".", depth: 16 }],
    ["search_files", { path: "deep", pattern: "nowhere", files: "*.none" }],
    ["search_files", { path: "wide", pattern: "x", maxMatches: 200 }],
    ["git_status", {}, "OUTPUT_LIMIT"],
  ] as const) {
    const end = await timed(run.call(tool, args));
    const size = Buffer.byteLength(JSON.stringify(end.result));
    const cut = end.result["truncated"] === true || stopped !== null;
    const bounded = { cut, small: size <= RESULT_BYTES * 1.1, soon: end.ms < LOOK_MS };
    const expected = { cut: true, small: true, soon: true };
    expect([tool, args, end.errorClass, bounded]).toEqual([tool, args, stopped, expected]);
  }

  // What makes the tree smaller is not refused.
  const removed = await run.call("delete_file", { path: "wide/1" });
  expect(removed.result["status"]).toBe("ok");
  const after = executor.peakBytes();
  if (after !== null) expect(after - before).toBeLessThan(MORE_BYTES);
});

test(`of ${SWEPT_FILES} files the run's diff names some and counts all, and they are gone afterwards`, async () => {
  const before = executor.peakBytes() ?? 0;
  const run = await filledRun(wide(SWEPT_FILES));
  const diff = await calls.diffAtEnd(run);
  expect([diff.files.length, diff.filesTotal >= SWEPT_FILES]).toEqual([5_000, true]);
  for (const deadline = Date.now() + 120_000; existsSync(run.tree) && Date.now() < deadline;) await sleep(50);
  expect(existsSync(run.tree)).toBe(false);
  const after = executor.peakBytes();
  if (after !== null) expect(after - before).toBeLessThan(MORE_BYTES);
});
