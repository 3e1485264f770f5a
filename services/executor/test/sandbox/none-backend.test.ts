import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { AirlockError } from "@airlock/core/fault";
import { SETTINGS } from "@airlock/core/runtime";
import { describe, expect, test } from "vitest";
import type { ExecutorConfig } from "../../src/config.ts";
import { openSandbox, sandboxCheck } from "../../src/open-sandbox.ts";
import { adviceFor } from "../../src/sandbox/bwrap-version.ts";
import {
  createNoneBackend,
  DEFAULT_SANDBOX_LIMITS,
  lacks,
  type SandboxRequest,
} from "../../src/sandbox/index.ts";
import { noMetrics } from "../../../../test/support/no-metrics.ts";
import { EFFECTIVE_UID, SERVICE_USER, treeFixture } from "../workspace/fixture.ts";

const signal = AbortSignal.timeout(60_000);

async function unsandboxed() {
  const fixture = await treeFixture();
  const warned: string[] = [];
  const identity = { serviceUser: SERVICE_USER, effectiveUid: EFFECTIVE_UID };
  const backend = createNoneBackend({ ...identity, toolchains: [], warn: (name) => void warned.push(name) });
  const session = await backend.open(
    { tree: fixture.tree, git: null },
    { ...DEFAULT_SANDBOX_LIMITS, outputBytes: 1000 },
  );
  const exec = (argv: readonly string[], change: Partial<SandboxRequest> = {}) => {
    const shared = { name: "call.1", fenceHolds: () => Promise.resolve(true), cwdRel: "", timeoutMs: 20_000 };
    return session.exec({ ...shared, profile: "write", argv, ...change }, signal);
  };
  return { ...fixture, backend, session, exec, warned };
}

describe("without a sandbox", () => {
  test("a program runs in the tree with an environment built from nothing, and each call is warned of", async () => {
    process.env["AIRLOCK_TEST_CANARY"] = "canary-value";
    const { exec, tree, session, warned } = await unsandboxed();
    writeFileSync(join(tree, "file"), "content");
    const result = await exec(["bash", "-c", "cat file; env | grep -c canary; id -u; ulimit -n; exit 7"]);
    delete process.env["AIRLOCK_TEST_CANARY"];
    const uid = SERVICE_USER?.uid ?? EFFECTIVE_UID;
    expect(result).toMatchObject({ kind: "exited", code: 7 });
    expect("stdout" in result ? result.stdout.head.toString() : "").toBe(`content0\n${uid}\n512\n`);
    expect([session.backend, warned]).toEqual(["none", ["call.1"]]);
  });

  test.each([
    ["time-out", ["bash", "-c", "trap '' TERM; sleep 98801 & sleep 98801"], { timeoutMs: 200 }, "timeout"],
    ["flood", ["yes"], {}, "output_limit"],
    ["lost fence", ["true"], { fenceHolds: () => Promise.resolve(false) }, "fence_lost"],
    ["directory outside", ["true"], { cwdRel: ".." }, "path_refused"],
    ["path for a program", ["./x"], {}, "command_not_found"],
  ] as const)("a %s ends as in a sandbox", async (_, argv, change, kind) => {
    const { exec } = await unsandboxed();
    expect((await exec(argv, change)).kind).toBe(kind);
  });

  test("nobody can say that what was left behind is dead", async () => {
    const { backend } = await unsandboxed();
    expect(await backend.kill("call.1")).toBe(false);
  });

  test("a program that a signal ended has a shell's exit code", async () => {
    const { exec } = await unsandboxed();
    expect(await exec(["bash", "-c", "kill -9 $$"])).toMatchObject({ kind: "exited", code: 137 });
  });

  test("nothing holds, and commands may run all the same, since the operator said so", async () => {
    const { backend } = await unsandboxed();
    const probe = await backend.probe(signal);
    expect([...probe.held]).toEqual([]);
    expect(lacks("command", { backend, probe })).toEqual([]);
    expect(lacks("command", null)).toContain("fs");
  });
});

function configOf(volume: string, change: Partial<ExecutorConfig>): ExecutorConfig {
  const { bwrap } = SETTINGS;
  const config = {
    sandbox: "bwrap",
    allowUnsandboxed: "false",
    bwrap: bwrap.fallback,
    toolchains: [],
    volume,
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the settings that the sandbox is opened with
  return { ...config, ...change } as unknown as ExecutorConfig;
}

describe("switching the sandbox off", () => {
  const open = async (change: Partial<ExecutorConfig>) => {
    const { root } = await treeFixture();
    const logged: string[] = [];
    const log = {
      write: (level: string, event: string) => void logged.push(`${level} ${event}`),
      decision: () => undefined,
    };
    const sandbox = await openSandbox(
      { log, metrics: noMetrics(), signal },
      configOf(join(root, "v"), change),
      SERVICE_USER,
    );
    return { sandbox, logged };
  };

  test.each([
    [{ sandbox: "none" }, /AIRLOCK_ALLOW_UNSANDBOXED=true/],
    [{ allowUnsandboxed: "true" }, /AIRLOCK_SANDBOX=none/],
  ] as const)("takes two settings: %j alone is refused", async (change, fix) => {
    const refused = await open(change).catch((error: unknown) => error as AirlockError);
    expect(refused).toMatchObject({ code: "CONFIG_INVALID", message: expect.stringMatching(fix) as string });
  });

  test("by both is done, warned of and shown", async () => {
    const { sandbox, logged } = await open({ sandbox: "none", allowUnsandboxed: "true" });
    expect(sandbox?.backend.name).toBe("none");
    expect(logged).toEqual(["warn sandbox_probed"]);
    expect(sandboxCheck(sandbox).detail).toMatch(/without a sandbox/);
  });

  test("never happens by itself: a missing bubblewrap leaves commands refused", async () => {
    const { sandbox } = await open({ bwrap: "/nonexistent/bwrap" });
    expect(sandbox?.backend.name).toBe("bwrap");
    expect(lacks("command", sandbox)).toContain("fs");
  });
});

test.each([
  ["bubblewrap 0.8.0\n", /CVE-2026-87766/],
  ["bubblewrap 0.11.1\n", /CVE-2026-87766/],
  ["", /version/],
  ["bubblewrap 0.12.0\n", null],
  ["bubblewrap 1.0\n", null],
])("of %j an operator is told %s", (text, said) => {
  const advice = adviceFor(text);
  if (said === null) expect(advice).toBeNull();
  else expect(advice).toMatch(said);
});
