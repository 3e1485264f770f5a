import { mkdirSync, readdirSync, readFileSync, rmdirSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { DEFAULT_SANDBOX_LIMITS, type SandboxResult } from "../../src/sandbox/index.ts";
import { HELD, HOLD_SCRIPT } from "../../src/sandbox/probe-canaries.ts";
import { makeMemoryCgroup } from "../../../../test/support/memory-cgroup.ts";
import { backendFixture, temporaryDirectory, treeFixture } from "../workspace/fixture.ts";

const signal = AbortSignal.timeout(60_000);
const holds = (): Promise<boolean> => Promise.resolve(true);
const MIB = 1024 * 1024;

const here = makeMemoryCgroup();
here?.remove();

function cgroup(): string {
  const made = makeMemoryCgroup();
  if (made === null) throw new Error("there was one a moment ago");
  onTestFinished(() => made.remove());
  return made.folder;
}

const groupsIn = (folder: string): readonly string[] =>
  readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);

function processesThat(run: string): readonly string[] {
  return readdirSync("/proc").filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(run);
    } catch {
      return false;
    }
  });
}

const said = (result: SandboxResult): string => ("stdout" in result ? result.stdout.head.toString() : "");

async function sandboxIn(folder: string, memoryBytes: number) {
  const { root, tree } = await treeFixture();
  const backend = await backendFixture(join(root, "state"), { cgroup: folder });
  const session = await backend.open({ tree, git: null }, { ...DEFAULT_SANDBOX_LIMITS, memoryBytes });
  const bash = (script: string, timeoutMs = 20_000) =>
    session.exec(
      {
        name: `call-${root}`,
        fenceHolds: holds,
        cwdRel: "",
        profile: "write",
        argv: ["bash", "-c", script],
        timeoutMs,
      },
      signal,
    );
  return { backend, bash };
}

test("a folder that is no cgroup stops the executor at its start", async () => {
  const folder = await temporaryDirectory();
  await expect(backendFixture(join(folder, "state"), { cgroup: folder })).rejects.toMatchObject({
    code: "CONFIG_INVALID",
  });
});

// The rest needs a cgroup that limits memory: root's, outside of a container.
describe.skipIf(here === null)("with a cgroup of one's own", () => {
  test("the probe finds that the memory of a call's processes together is bounded", async () => {
    const { backend } = await sandboxIn(cgroup(), 64 * MIB);
    const { held, detail } = await backend.probe(signal);
    expect([held.has("memTotal"), detail]).toEqual([true, {}]);
  });

  test("processes that together hold too much end, and fewer of them do not", async () => {
    const folder = cgroup();
    const { bash } = await sandboxIn(folder, 48 * MIB);
    const over = await bash(HOLD_SCRIPT);
    expect([over.kind, said(over).includes(HELD)]).toEqual(["exited", false]);
    expect(await bash("exit 3")).toMatchObject({ kind: "exited", code: 3 });
    expect(await bash(HOLD_SCRIPT.replace("hold 8", "hold 2"))).toMatchObject({ kind: "exited", code: 0 });
    expect(groupsIn(folder)).toEqual([]);
  });

  test("what is kept in memory as files counts, and a call's end gives all of it back", async () => {
    const folder = cgroup();
    const { bash } = await sandboxIn(folder, 64 * MIB);
    const fill =
      "head -c 50000000 /dev/zero > /tmp/a && head -c 50000000 /dev/zero > /dev/shm/b && echo KEPT";
    const over = await bash(fill);
    expect([over.kind, said(over)]).toEqual(["exited", ""]);
    expect(await bash("head -c 50000000 /dev/zero > /tmp/a")).toMatchObject({ kind: "exited", code: 0 });
    expect(groupsIn(folder)).toEqual([]);
  });

  test("every process of the call is in its group, whatever it does", async () => {
    const folder = cgroup();
    const { bash } = await sandboxIn(folder, 64 * MIB);
    const running = bash(
      "setsid bash -c 'sleep 77041; :' & ( ( setsid sleep 77041 & ) & ); sleep 77041",
      3000,
    );
    let sleepers: readonly string[] = [];
    for (const deadline = Date.now() + 2500; sleepers.length < 3 && Date.now() < deadline; await delay(10))
      sleepers = processesThat("sleep\u000077041");
    const [group = ""] = groupsIn(folder);
    const members = readFileSync(join(folder, group, "cgroup.procs"), "utf8").split("\n");
    expect([sleepers.length >= 3, sleepers.filter((pid) => !members.includes(pid))]).toEqual([true, []]);
    expect(await running).toMatchObject({ kind: "timeout" });
    expect(groupsIn(folder)).toEqual([]);
  });

  test("a call whose group can't be made, or takes nobody, has run nothing", async () => {
    const made = makeMemoryCgroup();
    if (made === null) throw new Error("there was one a moment ago");
    const { bash } = await sandboxIn(made.folder, 64 * MIB);
    made.remove();
    expect(await bash("echo ran")).toMatchObject({ kind: "sandbox_failed" });
    // A limit below what the kernel needs for one process at all.
    const { bash: tight } = await sandboxIn(cgroup(), -7);
    expect(await tight("echo ran")).toMatchObject({ kind: "sandbox_failed" });
  });

  test("a group that a killed executor left is taken away at a later start, a fresh one isn't", async () => {
    const folder = cgroup();
    for (const name of ["airlock-call-old", "airlock-call-new", "other"]) mkdirSync(join(folder, name));
    utimesSync(join(folder, "airlock-call-old"), 0, 0);
    await sandboxIn(folder, 64 * MIB);
    expect(groupsIn(folder).toSorted()).toEqual(["airlock-call-new", "other"]);
    for (const name of groupsIn(folder)) rmdirSync(join(folder, name));
  });
});
