import { execFileSync } from "node:child_process";
import { chmod, cp, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { createLedger } from "@airlock/core/ledger";
import { readCall } from "@airlock/core/run";
import { listApprovals } from "@airlock/operator/document";
import { answerCall } from "@airlock/operator/order";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ROOT, startCell, type Cell } from "../support/cell.ts";
import { startRecordingProxy, type RecordingProxy } from "../support/recording-proxy.ts";
import { makeRepository } from "../support/repository.ts";
import { eventWhere } from "../support/watch.ts";
import { call, REPORT, specOf, writeFixtures } from "../support/story.ts";

const TOOLS = [
  "search_files",
  "edit_file",
  "move_file",
  "delete_file",
  "run_command",
  "git_status",
  "git_diff",
  "git_log",
  "git_commit",
  "git_push",
];

/** Everything may run here, also a push; what is read and written is bounded. */
const POLICY = `apiVersion: airlock.policy/v1
mode: enforce
paths:
  read: { allow: ["**"], forbid: ["**/.env"] }
  write: { allow: ["src/**", "test/**"] }
rules:
${TOOLS.filter((name) => name !== "run_command")
  .map((name) => `  - { id: ${name.replaceAll("_", "-")}, decision: allow, tool: ${name} }`)
  .join("\n")}
  - { id: touch, decision: allow, tool: run_command, command: { exe: touch } }
`;

const ONE = "needle: the first\n";

let cell: Cell;
let proxy: RecordingProxy;
let folder: string;
let remote: string;
let repository: Awaited<ReturnType<typeof makeRepository>>;
let fixtures: Awaited<ReturnType<typeof writeFixtures>>;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "airlock-git-tools-"));
  await chmod(folder, 0o755);
  repository = await makeRepository(async (directory) => {
    await writeFile(path.join(directory, ".env"), "needle: hidden\n");
    await writeFile(path.join(directory, "src/one.txt"), ONE);
    await writeFile(path.join(directory, "src/two.txt"), "two\n");
  });
  remote = path.join(folder, "remote.git");
  execFileSync("git", ["init", "-q", "--bare", remote]);
  await cp(path.join(ROOT, "config/policies"), path.join(folder, "policies"), { recursive: true });
  await writeFile(path.join(folder, "policies/git.yaml"), POLICY);
  fixtures = await writeFixtures({
    work: [
      [
        call("search_files", { path: ".", pattern: "^needle" }),
        call("edit_file", { path: "src/one.txt", oldText: "first", newText: "second" }),
        call("edit_file", { path: "package.json", oldText: "a", newText: "b" }),
        call("move_file", { from: "src/one.txt", to: "src/moved.txt" }),
        call("delete_file", { path: "src/two.txt" }),
        call("run_command", { argv: ["touch", "test/made.txt"] }),
      ],
      [
        call("git_status", {}),
        call("git_diff", { path: "src" }),
        call("git_commit", { message: "Move the needle", path: "src" }),
        call("git_log", { path: ".", maxCount: 1 }),
        call("git_push", { branch: "agent/needle" }),
      ],
      [REPORT],
    ],
    asking: [[call("git_push", { branch: "agent/needle" })], [REPORT]],
    asked: [[call("git_push", { branch: "agent/asked" })], [REPORT]],
  });
  proxy = await startRecordingProxy();
  cell = await startCell({
    fixtures: fixtures.directory,
    sources: [repository.directory],
    env: {
      AIRLOCK_POLICIES: path.join(folder, "policies"),
      AIRLOCK_PUSH: `${repository.directory}=${remote}`,
      AIRLOCK_COMMIT_AUTHOR: "Robot <robot@example.org>",
      AIRLOCK_LEASE_MS: "20000",
    },
    route: { baseUrl: proxy.url },
  });
  proxy.forwardTo(cell.gateway.url);
  await cell.trustRoute();
});

afterAll(async () => {
  await cell.close();
  await proxy.close();
  await fixtures.remove();
  await repository.remove();
  await rm(folder, { recursive: true, force: true });
});

interface Told {
  readonly status: string;
  readonly [key: string]: unknown;
}

/** What a request's conversation holds of results, as the model reads them. */
function resultsIn(body: string): readonly Told[] {
  const { input }: { readonly input: readonly { readonly type: string; readonly output: string }[] } =
    JSON.parse(body);
  return input.flatMap(({ type, output }): readonly Told[] => {
    if (type !== "function_call_output") return [];
    const result: Told = JSON.parse(output);
    return [result];
  });
}

const inRemote = (...args: readonly string[]): string =>
  execFileSync("git", ["--git-dir", remote, ...args], { encoding: "utf8" }).trim();

test("an agent searches, changes, commits and pushes, within what policy lets it read and write", async () => {
  const before = proxy.bodies.length;
  const run = await cell.submit(specOf("work", repository.directory, { policy: "git", tools: TOOLS }));
  expect(await cell.ended(run)).toMatchObject({ state: "completed", turn: 3 });
  const told = resultsIn(proxy.bodies.slice(before).at(-1) ?? "");
  expect(told).toMatchObject([
    { status: "ok", matches: [{ path: "src/one.txt", line: 1, text: ONE.trim() }], hidden: 1 },
    { status: "ok", path: "src/one.txt", line: 1 },
    { status: "DENIED", executed: false, error: "POLICY_FORBIDDEN" },
    { status: "ok", files: [{ path: "src/one.txt" }, { path: "src/moved.txt" }] },
    { status: "ok", path: "src/two.txt", after: null },
    { status: "ok", exitCode: 0 },
    {
      status: "ok",
      files: [
        { path: "src/one.txt", kind: "deleted" },
        { path: "src/two.txt", kind: "deleted" },
        { path: "src/moved.txt", kind: "untracked" },
        { path: "test/made.txt", kind: "untracked" },
      ],
    },
    { status: "ok", files: 2, hidden: 0 },
    { status: "ok", totalFiles: 3, leftOut: [] },
    { status: "ok", commits: [{ author: { name: "Robot" }, files: [{}, {}, {}] }] },
    { status: "ok", branch: "agent/needle", before: null, pushed: true },
  ]);
  expect(inRemote("show", "-s", "--format=%an%n%B", "agent/needle")).toBe(
    `Robot\nMove the needle\n\nAirlock-Run: ${run}\nAirlock-Item: ${run}.2.1.2`,
  );
  expect(inRemote("show", "agent/needle:src/moved.txt")).toBe("needle: the second");
});

test("a push waits for a person where the profile is one of Airlock's", async () => {
  const spec = { policy: "ci-default", tools: ["git_push"], limits: { deadlineMs: 5_000 } };
  const run = await cell.submit(specOf("asking", repository.directory, spec));
  const ended = await cell.ended(run);
  expect(ended.state).not.toBe("completed");
  expect(inRemote("rev-list", "--all", "--count", "--grep", run)).toBe("0");
});

/** What a person says of the run's first question, as soon as it is asked. */
async function answerFirst(run: string, answer: "approve" | "deny"): Promise<void> {
  const access = { redis: cell.redis, keyring: cell.keyrings.console, approver: cell.keyrings.approver };
  await eventWhere(cell.redis, run, ({ type }) => type === "approval_requested");
  await expect.poll(async () => (await listApprovals(access)).some((entry) => entry.run === run)).toBe(true);
  const [asked] = (await listApprovals(access)).filter((entry) => entry.run === run);
  const said = { itemKey: asked?.itemKey ?? "", answer, approver: "ana", reason: "looked at it" };
  expect(await answerCall(access, said)).toMatchObject({ kind: "stored" });
}

test("a push that a person approves is pushed, once, under the approval that its ledger entry names", async () => {
  const spec = { policy: "ci-default", tools: ["git_push"] };
  const run = await cell.submit(specOf("asked", repository.directory, spec));
  await answerFirst(run, "approve");
  expect(await cell.ended(run)).toMatchObject({ state: "completed" });
  expect(inRemote("rev-parse", "--verify", "agent/asked")).toMatch(/^[0-9a-f]{40}$/);
  const item = `${run}.1.1.0`;
  const [call, entry] = await Promise.all([readCall(cell.redis, item), createLedger(cell.redis).read(item)]);
  expect(call).toMatchObject({ settled: "EXECUTED", approvers: ["ana"], grant: 1 });
  expect(entry).toMatchObject({ state: "EXECUTED", fence: 1, nonce: call?.nonce });
});

test("a push that a person denies pushes nothing, and the run goes on without it", async () => {
  execFileSync("git", ["--git-dir", remote, "update-ref", "-d", "refs/heads/agent/asked"]);
  const spec = { policy: "ci-default", tools: ["git_push"] };
  const run = await cell.submit(specOf("asked", repository.directory, spec));
  await answerFirst(run, "deny");
  expect(await cell.ended(run)).toMatchObject({ state: "completed" });
  expect(await readCall(cell.redis, `${run}.1.1.0`)).toMatchObject({
    settled: "DENIED",
    errorClass: "APPROVAL_DENIED",
    grant: 0,
  });
  expect(inRemote("branch", "--list", "agent/asked")).toBe("");
});
