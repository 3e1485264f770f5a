import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { execFile } from "node:child_process";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { readCall, readConversation, readTurn, type CallHash } from "@airlock/core/run";
import { loadPolicyProfiles } from "@airlock/core/runtime";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ROOT, startCell, type Cell } from "../support/cell.ts";
import { until } from "../support/forge.ts";
import { makeRepository } from "../support/repository.ts";
import { call, REPORT, specOf, writeFixtures } from "../support/story.ts";

let cell: Cell;
let repository: Awaited<ReturnType<typeof makeRepository>>;
let fixtures: Awaited<ReturnType<typeof writeFixtures>>;
let policies: string;

const WRITE = call("write_file", { path: "src/new.js", content: "1\n" });
const SCOPES = 'paths: { read: { allow: ["**"] }, write: { allow: ["src/**"] } }';

function profile(rule: string, more: readonly string[] = [], mode = "enforce"): string {
  return ["apiVersion: airlock.policy/v1", `mode: ${mode}`, SCOPES, ...more, `rules: [${rule}]`, ""].join(
    "\n",
  );
}

const ALLOW = "{ id: write, decision: allow, tool: write_file }";
const PROFILES: Readonly<Record<string, string>> = {
  "work.yaml": profile(ALLOW),
  "shadowed.yaml": profile(ALLOW),
  "shadowed.shadow.yaml": profile("{ id: frozen, decision: forbid, tool: write_file }", [], "shadow"),
  "denies.yaml": profile(
    "{ id: ask, decision: approve, tool: write_file, approve: { risk: high, ttl: 5m, quorum: 2 }, private: true, reason: canary-7f3a }",
    ["defaults: { onAskNonInteractive: deny }"],
  ),
  "parks.yaml": profile("{ id: ask, decision: approve, tool: write_file, approve: { ttl: 5m } }"),
  "bounded.yaml": profile(ALLOW, ["limits: { perRun: { mutating: 1 } }"]),
  "repos.yaml": profile(ALLOW, ['repos: [{ id: elsewhere/api, branches: { allow: ["agent/**"] } }]']),
};

beforeAll(async () => {
  repository = await makeRepository(async (directory) => {
    await mkdir(path.join(directory, "docs"));
    await writeFile(path.join(directory, "docs/a.md"), "a\n");
    await symlink("../docs", path.join(directory, "src/link"));
  });
  fixtures = await writeFixtures({
    writes: [[WRITE], [REPORT]],
    pair: [[WRITE, call("write_file", { path: "src/other.js", content: "2\n" })], [REPORT]],
    link: [[call("write_file", { path: "src/link/a.md", content: "changed\n" })], [REPORT]],
  });
  policies = await mkdtemp(path.join(tmpdir(), "airlock-policies-"));
  await cp(path.join(ROOT, "config/policies"), policies, { recursive: true });
  for (const [name, text] of Object.entries(PROFILES)) await writeFile(path.join(policies, name), text);
  cell = await startCell({
    fixtures: fixtures.directory,
    sources: [repository.directory],
    env: { AIRLOCK_POLICIES: policies },
  });
  await cell.trustRoute();
}, 60_000);

afterAll(async () => {
  await cell.close();
  await fixtures.remove();
  await repository.remove();
  await rm(policies, { recursive: true, force: true });
});

function submit(
  name: string,
  policy: string,
  workspace: Readonly<Record<string, string>> = {},
): Promise<string> {
  const place = { source: repository.directory, ref: "main", ...workspace };
  return cell.submit(specOf(name, repository.directory, { policy, tools: ["write_file"], workspace: place }));
}

async function firstCall(run: string): Promise<CallHash | null> {
  const turn = await readTurn(cell.redis, run, 1);
  const [key] = [...(turn?.calls.keys() ?? [])];
  return key === undefined ? null : readCall(cell.redis, key);
}

async function reload(
  service: "validator" | "executor",
  said: "policy_reloaded" | "policy_reload_failed",
): Promise<void> {
  const count = async (): Promise<number> => (await cell.logOf(service)).split(`"${said}"`).length;
  const before = await count();
  cell.processOf(service)?.kill("SIGHUP");
  await until(`${service} ${said}`, async () => (await count()) > before);
}

describe("a call's record", () => {
  test("holds every rule, the winner, the reason, the digest, and what a shadow would have decided", async () => {
    const run = await submit("writes", "shadowed");
    expect((await cell.ended(run)).state).toBe("completed");
    const decided = await firstCall(run);
    expect([decided?.settled, decided?.policyDecision]).toEqual([
      "EXECUTED",
      {
        decision: "allow",
        winning: "write",
        reason: "rule write decides allow",
        policyDigest: loadPolicyProfiles(policies).get("shadowed")?.enforced.digest,
        matched: [{ rule: "write", decision: "allow", reason: "rule write decides allow" }],
        approval: null,
        shadow: { rule: "frozen", enforced: "allow", shadow: "forbid" },
      },
    ]);
  });

  test("of a denied approval tells the model its class, and nothing of a private rule", async () => {
    const run = await submit("writes", "denies");
    await cell.ended(run);
    const decided = await firstCall(run);
    expect([decided?.settled, decided?.errorClass, decided?.policyDecision?.approval]).toEqual([
      "DENIED",
      "APPROVAL_NOT_ASKED",
      { risk: "high", ttlMs: 300_000, quorum: 2, onAsk: "deny" },
    ]);
    expect(decided?.policyDecision?.reason).toBe("canary-7f3a");
    const told = JSON.stringify(
      await readConversation({ redis: cell.redis, keyring: cell.keyrings.streamer }, run),
    );
    expect([
      told.includes("APPROVAL_NOT_ASKED"),
      told.includes("canary-7f3a"),
      told.includes('\\"ask\\"'),
    ]).toEqual([true, false, false]);
  });

  test("of a parked approval has an end that comes no later than its rule says", async () => {
    const run = await submit("writes", "parks");
    await until("the parked call", async () => (await firstCall(run))?.state === "AWAITING_APPROVAL");
    const [seconds] = await cell.redis.time();
    const left = ((await firstCall(run))?.approvalUntil ?? 0) - Number(seconds) * 1_000;
    expect(left).toBeGreaterThan(200_000);
    expect(left).toBeLessThanOrEqual(301_000);
  });
});

test("a policy's limit per run ends a run whose own is higher, before anything of it runs", async () => {
  const ended = await cell.ended(await submit("pair", "bounded"));
  expect([ended.state, ended.errorClass]).toEqual(["escalated", "BUDGET_MUTATING"]);
});

test("a repository that the policy does not name is refused at the door", async () => {
  const ended = await cell.ended(await submit("writes", "repos"));
  expect([ended.state, ended.errorClass, ended.detail]).toEqual([
    "failed",
    "ADMISSION_REFUSED",
    'policy "repos", repos: the run\'s repository is none that policy names',
  ]);
});

test("a run that pins its commit works on that one, or on none", async () => {
  const { stdout } = await promisify(execFile)("git", ["rev-parse", "HEAD"], { cwd: repository.directory });
  const [right, wrong] = await Promise.all([
    submit("writes", "work", { baseRevision: stdout.trim() }),
    submit("writes", "work", { baseRevision: "0".repeat(40) }),
  ]);
  await Promise.all([cell.ended(right), cell.ended(wrong)]);
  expect([(await firstCall(right))?.settled, (await firstCall(wrong))?.errorClass]).toEqual([
    "EXECUTED",
    "WORKSPACE_FAILED",
  ]);
});

test("the executor sees where a link leads, and may only be stricter", async () => {
  const run = await submit("link", "work");
  await cell.ended(run);
  const decided = await firstCall(run);
  expect([decided?.decision, decided?.settled, decided?.errorClass, decided?.detail]).toEqual([
    "allow",
    "DENIED",
    "POLICY_CHANGED",
    "a path is not in paths.write.allow",
  ]);
  expect(await readFile(path.join(cell.volume, run, "tree/docs/a.md"), "utf8")).toBe("a\n");
});

describe("a reload", () => {
  test("that only one service has seen sends the call back, and it runs once both agree", async () => {
    await writeFile(path.join(policies, "work.yaml"), profile(ALLOW, ["limits: { argsBytes: 1000 }"]));
    await reload("validator", "policy_reloaded");
    const run = await submit("writes", "work");
    await until("the executor's refusal", async () =>
      /"call_refused".*"itemKey":"RUN/.test((await cell.logOf("executor")).replaceAll(run, "RUN")),
    );
    expect((await firstCall(run))?.settled).toBe(undefined);
    await reload("executor", "policy_reloaded");
    expect((await cell.ended(run)).state).toBe("completed");
    const decided = await firstCall(run);
    expect([decided?.settled, decided?.errorClass, (decided?.grant ?? 0) > 1]).toEqual([
      "EXECUTED",
      undefined,
      true,
    ]);
  });

  test("under which the call would no longer run denies it, though it was allowed and granted", async () => {
    await writeFile(path.join(policies, "work.yaml"), profile(ALLOW.replace("allow", "forbid")));
    await reload("executor", "policy_reloaded");
    const run = await submit("writes", "work");
    await until("the executor's refusal", async () =>
      /"call_refused".*"itemKey":"RUN/.test((await cell.logOf("executor")).replaceAll(run, "RUN")),
    );
    await reload("validator", "policy_reloaded");
    await cell.ended(run);
    const decided = await firstCall(run);
    expect([decided?.decision, decided?.settled, decided?.errorClass]).toEqual([
      "forbid",
      "DENIED",
      "POLICY_CHANGED",
    ]);
  });

  test("of a file that is not usable keeps the old policy in both services, and says so", async () => {
    await writeFile(path.join(policies, "shadowed.yaml"), "");
    await Promise.all([
      reload("validator", "policy_reload_failed"),
      reload("executor", "policy_reload_failed"),
    ]);
    const run = await submit("writes", "shadowed");
    expect((await cell.ended(run)).state).toBe("completed");
    expect((await firstCall(run))?.settled).toBe("EXECUTED");
    expect(await cell.logOf("executor")).toContain("shadowed.yaml:1:1: the file is empty");
  });
});
