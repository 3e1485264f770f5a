import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { prepareWorkspace } from "../../src/workspace/index.ts";
import {
  createBwrapBackend,
  DEFAULT_SANDBOX_LIMITS,
  missingGuarantees,
  type SandboxLimits,
  type SandboxRequest,
  type SandboxResult,
} from "../../src/sandbox/index.ts";
import {
  backendFixture,
  EFFECTIVE_UID,
  gitRepository,
  SERVICE_USER,
  treeFixture,
} from "../workspace/fixture.ts";

const signal = AbortSignal.timeout(60_000);
const holds = (): Promise<boolean> => Promise.resolve(true);

async function sandbox(
  limits: Partial<SandboxLimits> = {},
  config: Parameters<typeof backendFixture>[1] = {},
) {
  const fixture = await treeFixture();
  const backend = await backendFixture(join(fixture.root, "state"), config);
  const session = await backend.open(
    { tree: fixture.tree, git: null },
    { ...DEFAULT_SANDBOX_LIMITS, ...limits },
  );
  const exec = (argv: readonly string[], change: Partial<SandboxRequest> = {}, abort = signal) => {
    const shared = { name: `call-${fixture.root}`, fenceHolds: holds, cwdRel: "", timeoutMs: 20_000 };
    return session.exec({ ...shared, profile: "write", argv, ...change }, abort);
  };
  return { ...fixture, backend, session, exec, bash: (script: string) => exec(["bash", "-c", script]) };
}

function summary(result: SandboxResult) {
  if (result.kind !== "exited") return { kind: result.kind };
  return { code: result.code, stdout: result.stdout.head.toString(), stderr: result.stderr.head.toString() };
}

/** Processes of this machine whose command line holds the text. */
function processesWith(text: string): readonly string[] {
  return readdirSync("/proc").filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(text);
    } catch {
      return false;
    }
  });
}

describe("what works", () => {
  test("a program sees the tree, its arguments as they are, an exit code and both streams", async () => {
    const { exec, tree } = await sandbox();
    writeFileSync(join(tree, "file"), "content");
    const script = 'cat file; printf "%s|" "$@"; echo oops >&2; echo made > new; exit 7';
    const result = await exec(["bash", "-c", script, "x", "a b", "$HOME", "--", "*"]);
    expect(summary(result)).toEqual({ code: 7, stdout: "contenta b|$HOME|--|*|", stderr: "oops\n" });
    expect(readFileSync(join(tree, "new"), "utf8")).toBe("made\n");
  });

  test("stdin is empty, the directory is the one asked for, the environment is built from nothing", async () => {
    const { exec, tree } = await sandbox();
    mkdirSync(join(tree, "sub"));
    const argv = [
      "bash",
      "-c",
      "cat; pwd; env | sed 's/=.*//' | grep -v '^GIT_\\|^_$\\|^SHLVL$' | sort | tr '\\n' ' '",
    ];
    const stdout = "/ws/sub\nCI HOME LANG PAGER PATH PWD TERM ";
    expect(summary(await exec(argv, { cwdRel: "sub" }))).toEqual({ code: 0, stdout, stderr: "" });
  });

  test("git reads the run's history and can change none of it; repositories of its own work", async () => {
    const { root, backend } = await sandbox();
    gitRepository(join(root, "source"), "echo one > file");
    const request = { volume: join(root, "volume"), runId: "r", source: join(root, "source"), ref: "main" };
    const workspace = await prepareWorkspace({ ...request, serviceUser: SERVICE_USER }, signal);
    const session = await backend.open({ tree: workspace.tree, git: workspace }, DEFAULT_SANDBOX_LIMITS);
    const script = `git status --porcelain; git log --format=%s; echo two >> file; git diff --stat | tail -1
      git -c user.name=a -c user.email=a@b commit -qam x 2>/dev/null || echo refused
      git config core.fsmonitor x 2>/dev/null || echo refused; touch /git/hooks 2>/dev/null || echo refused
      git init -q /tmp/own && cd /tmp/own && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m own && git log --format=%s`;
    const shared = {
      name: "git",
      fenceHolds: holds,
      cwdRel: "",
      profile: "write" as const,
      timeoutMs: 20_000,
    };
    const result = await session.exec({ ...shared, argv: ["bash", "-c", script] }, signal);
    const stdout = "first\n 1 file changed, 1 insertion(+)\nrefused\nrefused\nrefused\nown\n";
    expect(summary(result)).toEqual({ code: 0, stdout, stderr: "" });
  });

  test.each([
    ["node", ["-e", "console.log([1,2].map((x) => x * 2).join())"], "2,4\n"],
    ["npm", ["test", "--silent"], "tested\n"],
    ["git", ["rev-parse", "--is-inside-work-tree"], ""],
    ["bash", ["-c", "echo $((6 * 7)) > /tmp/x; cat /tmp/x /dev/shm/none 2>/dev/null; :"], "42\n"],
  ])("%s does its work", async (program, args, expected) => {
    const { exec, tree } = await sandbox();
    writeFileSync(
      join(tree, "package.json"),
      '{ "scripts": { "test": "node -e \\"console.log(\'tested\')\\"" } }',
    );
    const result = await exec([program, ...args]);
    const stdout = "stdout" in result ? result.stdout.head.toString() : "";
    expect({ kind: result.kind, stdout }).toEqual({ kind: "exited", stdout: expected });
  });

  test("a toolchain's programs are found and come first", async () => {
    const { root, outside } = await treeFixture();
    mkdirSync(join(outside, "bin"));
    writeFileSync(join(outside, "bin", "tool"), "#!/bin/sh\necho from the toolchain; echo x > $0\n");
    chmodSync(join(outside, "bin", "tool"), 0o777);
    const { exec } = await sandbox({}, { toolchains: [outside], stateDir: join(root, "state") });
    expect(await exec(["tool"])).toMatchObject({ kind: "exited", code: 2 });
    expect(readFileSync(join(outside, "bin", "tool"), "utf8")).toContain("from the toolchain");
  });
});

describe("what is refused before anything starts", () => {
  test.each([["./evil"], ["/usr/bin/env"], ["../bin/sh"], ["no-such-program"], [""], ["a\0b"]])(
    "the program %j",
    async (name) => {
      const { exec, tree } = await sandbox();
      writeFileSync(join(tree, "evil"), "#!/bin/sh\n", { mode: 0o755 });
      expect(await exec([name])).toMatchObject({ kind: "command_not_found" });
    },
  );

  test.each(["..", "/etc", "a/../..", "x\0"])("the directory %j", async (cwdRel) => {
    const { exec } = await sandbox();
    expect(await exec(["true"], { cwdRel })).toMatchObject({ kind: "path_refused" });
  });

  test("a call whose fence no longer holds", async () => {
    const { exec, tree } = await sandbox();
    const lost = await exec(["touch", "effect"], { fenceHolds: () => Promise.resolve(false) });
    expect(lost).toEqual({ kind: "fence_lost" });
    expect(existsSync(join(tree, "effect"))).toBe(false);
  });

  test("a call that was cancelled already", async () => {
    const { exec, tree } = await sandbox();
    expect(await exec(["touch", "effect"], {}, AbortSignal.abort())).toMatchObject({ kind: "cancelled" });
    expect(existsSync(join(tree, "effect"))).toBe(false);
  });
});

describe("escapes", () => {
  test("nothing outside can be written or read", async () => {
    const { bash, outside, tree } = await sandbox();
    writeFileSync(join(outside, "secret"), "canary");
    for (const path of [outside, join(outside, "secret")]) chmodSync(path, 0o777);
    symlinkSync(join(outside, "secret"), join(tree, "link"));
    const result =
      await bash(`for f in ${outside}/secret link /etc/shadow /root/.profile /proc/1/root/etc/shadow; do
        cat $f 2>/dev/null && echo READ $f; (echo x > $f) 2>/dev/null && echo WROTE $f; done
      for d in ${outside} /usr /etc / /git /proc/sys/kernel /dev /var; do (touch $d/x) 2>/dev/null && echo MADE $d; done; true`);
    expect(summary(result)).toEqual({ code: 0, stdout: "", stderr: "" });
    expect(readFileSync(join(outside, "secret"), "utf8")).toBe("canary");
    expect(readdirSync(outside)).toEqual(["secret"]);
  });

  test("no listener of this machine can be reached", async () => {
    const { bash } = await sandbox();
    let connections = 0;
    const server = createServer(() => (connections += 1)).listen(0, "127.0.0.1");
    await once(server, "listening");
    const address = server.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    const result = await bash(
      `(exec 9<>/dev/tcp/127.0.0.1/${port}) 2>/dev/null && echo OPEN; grep -c : /proc/net/dev`,
    );
    server.close();
    expect({ ...summary(result), connections }).toEqual({
      code: 0,
      stdout: "1\n",
      stderr: "",
      connections: 0,
    });
  });

  test("neither the environment nor the open files of the executor are visible", async () => {
    process.env["AIRLOCK_TEST_CANARY"] = "canary-value";
    const { bash } = await sandbox();
    const result =
      await bash(`env | grep -c canary; cat /proc/[0-9]*/environ | tr '\\0' '\\n' | grep -c 'canary\\|REDIS'
      readlink /proc/$$/fd/[3-9] /proc/$$/fd/[1-9][0-9]* > /tmp/fds; grep -v '^/dev/null$' /tmp/fds; true`);
    delete process.env["AIRLOCK_TEST_CANARY"];
    expect(summary(result)).toEqual({ code: 0, stdout: "0\n0\n", stderr: "" });
  });

  test("no privilege, no namespace, no mount, no device", async () => {
    const { bash } = await sandbox();
    const result = await bash(`grep -E '^(CapEff|CapBnd|NoNewPrivs)' /proc/self/status | tr '\\t\\n' '  '
      unshare -Ur true 2>/dev/null && echo USERNS; mount -o remount,rw /usr 2>/dev/null && echo MOUNT
      mknod dev c 1 1 2>/dev/null && echo MKNOD; ulimit -c; ulimit -n; ulimit -u; true`);
    const stdout = `CapEff: ${"0".repeat(16)} CapBnd: ${"0".repeat(16)} NoNewPrivs: 1 0\n512\n128\n`;
    expect(summary(result)).toEqual({ code: 0, stdout, stderr: "" });
  });

  test("a link that the agent plants for the sandbox's set-up creates nothing outside", async () => {
    const { exec, tree, outside } = await sandbox();
    symlinkSync(`/oldroot${outside}`, join(tree, "sub"));
    await exec(["true"], { cwdRel: "" });
    expect(await exec(["true"], { cwdRel: "sub" })).toMatchObject({ kind: "sandbox_failed" });
    expect(readdirSync(outside)).toEqual([]);
  });

  test("a prepare step reaches the network and fills its cache; the executor's environment and what lies outside stay away", async () => {
    process.env["AIRLOCK_TEST_CANARY"] = "canary-value";
    const { root, backend, tree, outside } = await sandbox();
    const cache = join(root, "cache");
    mkdirSync(cache);
    for (const place of [cache, outside]) chmodSync(place, 0o777);
    const server = createServer((socket) => socket.end("heard")).listen(0, "127.0.0.1");
    await once(server, "listening");
    const address = server.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    const session = await backend.open({ tree, git: null, cache }, DEFAULT_SANDBOX_LIMITS);
    const shared = { name: `prepare-${root}`, fenceHolds: holds, cwdRel: "", timeoutMs: 20_000 } as const;
    const run = (profile: "prepare" | "write", script: string) =>
      session.exec({ ...shared, profile, argv: ["bash", "-c", script] }, signal);
    const result = await run(
      "prepare",
      `cat < /dev/tcp/127.0.0.1/${port}; echo; echo x > /cache/x && echo x > x && echo wrote; env | grep -c canary
      (touch ${outside}/x || touch /usr/x) 2>/dev/null && echo OUT; grep Seccomp: /proc/self/status | tr '\\t' ' '`,
    );
    const after = await run("write", "ls /cache 2>&1; true");
    server.close();
    delete process.env["AIRLOCK_TEST_CANARY"];
    expect(summary(result)).toEqual({ code: 0, stdout: "heard\nwrote\n0\nSeccomp: 2\n", stderr: "" });
    expect(readdirSync(cache)).toEqual(["x"]);
    expect(summary(after)).toMatchObject({ stdout: expect.stringContaining("No such file") as string });
  });

  test("the tree is not writable in the read profile", async () => {
    const { exec, tree } = await sandbox();
    expect(await exec(["touch", "x"], { profile: "read" })).toMatchObject({ kind: "exited", code: 1 });
    expect(readdirSync(tree)).toEqual([]);
  });
});

describe("the end of a call", () => {
  test("a daemon of its own session that holds stdout doesn't delay the result and doesn't survive it", async () => {
    const { bash } = await sandbox();
    const result = await bash(`setsid nohup bash -c 'trap "" TERM HUP; sleep 98701; :' & echo started`);
    expect(summary(result)).toEqual({ code: 0, stdout: "started\n", stderr: "" });
    expect(processesWith("sleep\x0098701")).toEqual([]);
  });

  test("a time-out kills the whole tree, deaf to TERM as it is, in under a second", async () => {
    const { exec } = await sandbox();
    const script = `trap "" TERM; setsid bash -c 'trap "" TERM; sleep 98702; :' & echo begun; sleep 98702; :`;
    const result = await exec(["bash", "-c", script], { timeoutMs: 300 });
    expect(result).toMatchObject({ kind: "timeout", stdout: { head: Buffer.from("begun\n") } });
    expect("durationMs" in result ? result.durationMs : 0).toBeLessThan(1300);
    expect(processesWith("sleep\x0098702")).toEqual([]);
  });

  test("an abort kills the tree", async () => {
    const { exec } = await sandbox();
    const abort = new AbortController();
    const fenceHolds = () => {
      setTimeout(() => abort.abort(), 100);
      return holds();
    };
    const result = await exec(["sleep", "98703"], { fenceHolds }, abort.signal);
    expect(result.kind).toBe("cancelled");
    expect(processesWith("sleep\x0098703")).toEqual([]);
  });

  test("closing the session kills what it runs", async () => {
    const { exec, session } = await sandbox();
    const running = exec(["sleep", "98704"]);
    await session.close();
    expect((await running).kind).toBe("cancelled");
    expect(processesWith("sleep\x0098704")).toEqual([]);
  });

  test("a flood is killed, with head and tail kept", async () => {
    const { exec } = await sandbox({ outputBytes: 1000 });
    const result = await exec(["bash", "-c", "echo first; yes"]);
    expect(result).toMatchObject({ kind: "output_limit" });
    const stdout = "stdout" in result ? result.stdout : null;
    expect(stdout?.head.toString().startsWith("first\ny\n")).toBe(true);
    expect(stdout === null ? 0 : stdout.head.length + stdout.tail.length).toBe(1000);
    expect(stdout?.omittedBytes).toBe((stdout?.totalBytes ?? 0) - 1000);
  });

  test("a fork bomb ends at its limit and leaves nothing", async () => {
    const { exec } = await sandbox({ processes: 32 });
    const result = await exec(["bash", "-c", "f() { sleep 98705 | f & }; f; wait; f; sleep 98705"], {
      timeoutMs: 1500,
    });
    expect(["exited", "timeout", "output_limit"]).toContain(result.kind);
    expect(processesWith("sleep\x0098705")).toEqual([]);
  });

  test("kill finds a call by its name alone, and is true when there is none", async () => {
    const { exec, backend } = await sandbox();
    const running = exec(["bash", "-c", "setsid sleep 98706 & sleep 98706"], { name: "lost-call" });
    while (processesWith("sleep\x0098706").length < 2) await new Promise((resolve) => setImmediate(resolve));
    expect(await backend.kill("another-call")).toBe(true);
    // a process has no command line for the moment in which it becomes another program
    await expect.poll(() => processesWith("sleep\x0098706").length).toBe(2);
    expect(await backend.kill("lost-call")).toBe(true);
    expect(processesWith("sleep\x0098706")).toEqual([]);
    expect((await running).kind).toBe("unknown");
  });

  test("a program that bears the name of a call can't be taken for it", async () => {
    const { exec, backend } = await sandbox();
    const { processMarker } = await import("../../src/sandbox/process-tree.ts");
    const script = `exec -a ${processMarker("victim")} sleep 98707`;
    const running = exec(["bash", "-c", script], { timeoutMs: 1500 });
    while (processesWith("\x0098707").length === 0) await new Promise((resolve) => setImmediate(resolve));
    expect(await backend.kill("victim")).toBe(true);
    expect((await running).kind).toBe("timeout");
  });

  test("an executor that is killed takes its calls along", async () => {
    const { root, tree } = await treeFixture();
    const source = join(import.meta.dirname, "../../src/sandbox/index.ts");
    const config = { bwrapPath: "/usr/bin/bwrap", stateDir: join(root, "s"), toolchains: [] };
    const identity = { serviceUser: SERVICE_USER, effectiveUid: EFFECTIVE_UID };
    const program = `const { createBwrapBackend, DEFAULT_SANDBOX_LIMITS } = await import(${JSON.stringify(source)});
      const backend = await createBwrapBackend(${JSON.stringify({ ...config, ...identity })});
      const session = await backend.open({ tree: ${JSON.stringify(tree)}, git: null }, DEFAULT_SANDBOX_LIMITS);
      const request = { name: "orphan", fenceHolds: async () => true, cwdRel: "", profile: "write", timeoutMs: 60000 };
      await session.exec({ ...request, argv: ["bash", "-c", "setsid sleep 98708 & sleep 98708"] }, new AbortController().signal);`;
    const args = ["--conditions=source", "--import", "tsx", "--input-type=module", "-e", program];
    const executor = spawn(process.execPath, args, {
      stdio: ["ignore", "ignore", "inherit"],
      cwd: import.meta.dirname,
    });
    const alive = () => processesWith("sleep\x0098708").filter((pid) => pid !== String(executor.pid)).length;
    while (alive() < 2 && executor.exitCode === null) await new Promise((resolve) => setImmediate(resolve));
    expect(executor.exitCode).toBe(null);
    executor.kill("SIGKILL");
    await once(executor, "exit");
    const backend = await backendFixture(join(root, "s"));
    expect(await backend.kill("orphan")).toBe(true);
    expect(alive()).toBe(0);
  });
});

describe("failing closed", () => {
  test("an argv that the system can't start gives no result", async () => {
    const { exec } = await sandbox();
    const argv = ["true", "x".repeat(3 * 2 ** 20)];
    expect(await exec(argv)).toMatchObject({ kind: "sandbox_failed" });
  });

  test.each([
    ["is missing", null],
    ["fails", "#!/bin/sh\necho broken >&2\nexit 1\n"],
    ["claims success and reports nothing", "#!/bin/sh\necho fine\nexit 0\n"],
    [
      "runs the program itself and reports nothing",
      '#!/bin/sh\nwhile [ "$1" != -- ]; do shift; done; shift; exec "$@"\n',
    ],
  ])("a bubblewrap that %s gives no result and holds nothing", async (_, script) => {
    const { root } = await treeFixture();
    const bwrapPath = join(root, "bwrap");
    if (script !== null) writeFileSync(bwrapPath, script, { mode: 0o755 });
    const { exec, backend } = await sandbox({}, { bwrapPath });
    expect(await exec(["true"])).toMatchObject({ kind: "sandbox_failed" });
    const { held } = await backend.probe(signal);
    expect([...held]).toEqual([]);
  });

  test("root without a service user, and a service user without root, are refused", async () => {
    const { root } = await treeFixture();
    const config = { bwrapPath: "/usr/bin/bwrap", stateDir: root, toolchains: [] };
    for (const identity of [
      { effectiveUid: 0, serviceUser: null },
      { effectiveUid: 0, serviceUser: { uid: 0, gid: 0 } },
      { effectiveUid: 1000, serviceUser: { uid: 65_534, gid: 65_534 } },
    ]) {
      await expect(createBwrapBackend({ ...config, ...identity })).rejects.toMatchObject({
        code: "CONFIG_INVALID",
      });
    }
  });
});

describe("probe", () => {
  test("shows that all that a command needs holds here", async () => {
    const { backend, root } = await sandbox();
    const { held, detail } = await backend.probe(signal);
    expect(missingGuarantees("command", held)).toEqual([]);
    expect(Object.keys(detail)).toEqual(["memTotal"]);
    expect(readdirSync(join(root, "state"))).toEqual(["etc", "seccomp-closed", "seccomp-network"]);
  });

  test("a sandbox with a hole loses the guarantee, and a command then misses it", async () => {
    const { root } = await treeFixture();
    const bwrapPath = join(root, "bwrap");
    const holes = `a=(); for x in "$@"; do [ "$x" = --unshare-net ] || [ "$x" = --unshare-pid ] || a+=("$x"); done`;
    writeFileSync(bwrapPath, `#!/bin/bash\n${holes}\nexec /usr/bin/bwrap "\${a[@]}"\n`, { mode: 0o755 });
    const { backend } = await sandbox({}, { bwrapPath });
    const { held } = await backend.probe(signal);
    expect(missingGuarantees("command", held)).toEqual(expect.arrayContaining(["killTree", "net"]));
    expect(missingGuarantees("read", new Set())).toEqual([]);
  });
});
