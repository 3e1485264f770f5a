import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, renameSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { readdir, readFile as readFileAsync } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import type { PrepareStep } from "@airlock/core/run";
import type { LogFields } from "@airlock/core/runtime";
import { beforeEach, expect, test } from "vitest";
import { createRunPrepare } from "../../src/call/run-prepare.ts";
import { lockVolume, prepareWorkspace, preparedPlaces, removePrepared } from "../../src/workspace/index.ts";
import { backendFixture, gitRepository, SERVICE_USER, temporaryDirectory } from "./fixture.ts";

const signal = AbortSignal.timeout(120_000);
const BASE = "echo one > file; echo 1 > lock; echo deps > .gitignore; mkdir sub; echo a > sub/a";

let root: string;
let volume: string;
let source: string;
let logged: (LogFields | undefined)[];
let prepare: (
  script: string,
  change?: Partial<PrepareStep>,
) => { step: PrepareStep; run: ReturnType<typeof createRunPrepare> };

beforeEach(async () => {
  root = await temporaryDirectory();
  volume = join(root, "volume");
  source = join(root, "source");
  gitRepository(source, BASE);
  const backend = await backendFixture(join(root, "state"));
  const probe = await backend.probe(signal);
  logged = [];
  const write = (_level: string, _event: string, fields?: LogFields) => void logged.push(fields);
  const run = createRunPrepare({ backend, probe }, { write, decision: () => undefined });
  prepare = (script, change = {}) => ({
    step: {
      command: ["bash", "-c", script],
      lockfiles: ["lock", "absent.lock"],
      folders: ["deps", "sub/deps"],
      timeoutMs: 20_000,
      ...change,
    },
    run,
  });
});

function workspace(runId: string, step: ReturnType<typeof prepare>, ref = "main") {
  const request = { volume, runId, source, ref, serviceUser: SERVICE_USER };
  return prepareWorkspace({ ...request, prepare: step }, signal);
}

const COUNTED =
  "echo ran >> /cache/runs; mkdir deps; cp lock deps/made-of; echo changed > file; echo x > new";
const runsOf = async () => {
  const [cache = ""] = await readdir(join(volume, "cache"));
  return readFileSync(join(volume, "cache", cache, "runs"), "utf8")
    .trim()
    .split("\n").length;
};

test("fills its folders before the first call; what else it wrote is nowhere, and no run sees another's copy", async () => {
  const { tree } = await workspace("run-1", prepare(COUNTED));
  expect((await readdir(tree)).toSorted()).toEqual([".git", ".gitignore", "deps", "file", "lock", "sub"]);
  expect(readFileSync(join(tree, "file"), "utf8")).toBe("one\n");
  expect(readFileSync(join(tree, "deps/made-of"), "utf8")).toBe("1\n");
  if (SERVICE_USER !== null) expect(statSync(join(tree, "deps/made-of"))).toMatchObject(SERVICE_USER);
  writeFileSync(join(tree, "deps/made-of"), "the agent's");
  const second = await workspace("run-2", prepare(COUNTED));
  expect(readFileSync(join(second.tree, "deps/made-of"), "utf8")).toBe("1\n");
  expect(await runsOf()).toBe(1);
  expect(JSON.parse(readFileSync(join(volume, "run-2/workspace.json"), "utf8"))).toMatchObject({
    prepared: ["deps"],
  });
});

test("runs once for runs that begin together, and again for another lockfile alone", async () => {
  await Promise.all([1, 2, 3, 4].map((n) => workspace(`run-${n}`, prepare(`${COUNTED}; sleep 0.5`))));
  expect(await runsOf()).toBe(1);
  const commit = (script: string) =>
    execFileSync("bash", ["--norc", "-ec", `${script}; git -c user.name=a -c user.email=a@b commit -qam x`], {
      cwd: source,
    });
  commit("echo two > file");
  await workspace("run-5", prepare(`${COUNTED}; sleep 0.5`));
  expect(await runsOf()).toBe(1);
  commit("echo 2 > lock");
  const { tree } = await workspace("run-6", prepare(`${COUNTED}; sleep 0.5`));
  expect(await runsOf()).toBe(2);
  expect(readFileSync(join(tree, "deps/made-of"), "utf8")).toBe("2\n");
});

test("what another ref with the same lockfiles holds decides nothing for this one", async () => {
  const branch =
    "git checkout -qb pushed; echo evil > file; git -c user.name=a -c user.email=a@b commit -qam x";
  execFileSync("bash", ["--norc", "-ec", `${branch}; git checkout -q main`], { cwd: source });
  const step = prepare("mkdir deps; cp file deps/made-of");
  const made = async (run: string, ref: string): Promise<string> =>
    readFileSync(join((await workspace(run, step, ref)).tree, "deps/made-of"), "utf8");
  expect(await made("run-1", "pushed")).toBe("evil\n");
  expect(await made("run-2", "main")).toBe("one\n");
});

test("waits for whoever removes what it would copy, and makes it anew", async () => {
  await workspace("run-1", prepare(COUNTED));
  const { folders } = await preparedPlaces(volume);
  const [place = ""] = folders;
  utimesSync(place, new Date(0), new Date(0));
  const lock = await lockVolume(`${place}.lock`, { wait: false, signal });
  const second = workspace("run-2", prepare(COUNTED));
  const waits = async (): Promise<string> => {
    while ((await waiting(`${place}.lock`)) === 0) await setImmediate();
    return "waits";
  };
  expect(await Promise.race([second.then(() => "copied"), waits()])).toBe("waits");
  renameSync(place, join(root, "aside"));
  await lock?.release();
  const { tree } = await second;
  expect(readFileSync(join(tree, "deps/made-of"), "utf8")).toBe("1\n");
  expect(await runsOf()).toBe(2);
  expect(await removePrepared(place, 60_000, signal)).toBe(false);
  expect(await removePrepared(place, 0, signal)).toBe(true);
  expect((await preparedPlaces(volume)).folders).toEqual([]);
});

/** Processes of `flock` that wait for this file: one that holds it has become `cat`. */
async function waiting(file: string): Promise<number> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const lines = await Promise.all(
    pids.map((pid) => readFileAsync(`/proc/${pid}/cmdline`, "utf8").catch(() => "")),
  );
  return lines.filter((line) => line.startsWith("/usr/bin/flock\0") && line.includes(`\0${file}\0`)).length;
}

test.each([
  ["exit code 3", "mkdir deps; echo half > deps/half; echo why >&2; exit 3", {}],
  ["timeout", "mkdir deps; sleep 60", { timeoutMs: 1_000 }],
  ["made no folder of deps", "ln -s / deps", {}],
  ["the repository itself holds something there", "mkdir -p sub/deps", { folders: ["sub"] }],
] as const)(
  "that fails (%s) leaves nothing, and its output goes to the log alone",
  async (why, script, change) => {
    await expect(
      workspace(
        "run-1",
        prepare(script, { ...change, folders: [...("folders" in change ? change.folders : ["deps"])] }),
      ),
    ).rejects.toThrow(why);
    expect((await readdir(volume)).toSorted()).not.toContain("run-1");
    expect((await readdir(volume)).filter((name) => name.startsWith(".building"))).toEqual([]);
    if (script.includes("why")) {
      expect(logged.at(-1)?.detail).toContain("why");
      expect((await readdir(join(volume, "prepared"))).filter((name) => !name.endsWith(".lock"))).toEqual([]);
    }
    expect((await workspace("run-1", prepare("mkdir deps; echo whole > deps/whole"))).tree).toContain(
      "run-1",
    );
  },
);

test("sees no secret of the executor, and nothing of it but its tree and cache", async () => {
  const seen = `mkdir deps; (env; ls -a /; ls ${volume} ${source} 2>&1; touch /usr/x 2>&1; cat /proc/1/environ) > deps/seen`;
  const { tree } = await workspace("run-1", prepare(seen));
  const text = readFileSync(join(tree, "deps/seen"), "utf8");
  expect(text).not.toMatch(/REDIS|AIRLOCK|TOKEN|FETCH_/);
  expect(text).toContain("No such file or directory");
  expect(existsSync("/usr/x")).toBe(false);
});
