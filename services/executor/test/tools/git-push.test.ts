import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { JsonObject } from "@airlock/core/json";
import { describe, expect, test } from "vitest";
import { isBranchName } from "../../src/tools/git/branch-name.ts";
import { readPushTargets } from "../../src/tools/git/push-targets.ts";
import { gitTools, type ToolContext } from "../../src/tools/index.ts";
import { gitFixture } from "./git-fixture.ts";
import { callTool } from "./tool-fixture.ts";

const signal = AbortSignal.timeout(60_000);

/** A run with one commit of its own, and a bare remote that its source may be pushed to. */
async function pushFixture() {
  const fixture = await gitFixture();
  const { root, source, call, shell, git, gitIn, context } = fixture;
  const remote = join(root, "remote.git");
  execFileSync("git", ["clone", "-q", "--bare", source, remote], {
    env: { PATH: "/usr/bin:/bin", HOME: root },
  });
  await shell("echo 1 > a.txt");
  await call("git_commit", { message: "own work" });
  const settings = {
    commitAuthor: "Bot <bot@example.org>",
    pushCredentials: "",
    push: [`${source}=${remote}`],
  };
  const tool = gitTools(settings).get("git_push");
  if (tool === undefined) throw new Error("no git_push");
  const here: ToolContext = { ...context, source };
  return {
    ...fixture,
    tool,
    here,
    remote,
    head: () => git("rev-parse", "HEAD"),
    inRemote: (...args: readonly string[]) => gitIn(remote, args),
    push: (args: JsonObject, change: Partial<ToolContext> = {}) =>
      callTool(tool, { ...here, ...change }, args),
  };
}

/** A zombie does nothing any more. */
function isAlive(pid: string): boolean {
  return existsSync(`/proc/${pid}/stat`) && !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
}

describe("git_push", () => {
  test("creates the branch, says when it is there already, and moves it forward", async () => {
    const { push, head, inRemote, call, shell } = await pushFixture();
    const first = head();
    expect(await push({ branch: "agent/fix" })).toEqual({
      status: "ok",
      errorClass: null,
      content: { branch: "agent/fix", commit: first, before: null, pushed: true },
    });
    expect(inRemote("rev-parse", "refs/heads/agent/fix")).toBe(first);
    expect(await push({ branch: "agent/fix" })).toMatchObject({ status: "ok", content: { pushed: false } });
    await shell("echo 2 > a.txt");
    await call("git_commit", { message: "more" });
    expect(await push({ branch: "agent/fix" })).toMatchObject({ content: { before: first, pushed: true } });
    expect(inRemote("rev-parse", "refs/heads/agent/fix")).toBe(head());
  });

  test("overwrites nothing: a branch that went on elsewhere stays as it is", async () => {
    const { push, inRemote, root, source } = await pushFixture();
    const script = `git -C ${source} commit -q --allow-empty -m other && git -C ${source} push -q ${root}/remote.git HEAD:agent/fix`;
    const env = {
      PATH: "/usr/bin:/bin",
      HOME: root,
      GIT_AUTHOR_NAME: "a",
      GIT_AUTHOR_EMAIL: "a@b",
      GIT_COMMITTER_NAME: "a",
      GIT_COMMITTER_EMAIL: "a@b",
    };
    execFileSync("bash", ["-ec", script], { env });
    const before = inRemote("rev-parse", "refs/heads/agent/fix");
    expect(await push({ branch: "agent/fix" })).toMatchObject({
      status: "error",
      errorClass: "TOOL_FAILED",
      content: { detail: expect.stringMatching(/^the remote refused the push: \[rejected\]/) },
    });
    expect(inRemote("rev-parse", "refs/heads/agent/fix")).toBe(before);
  });

  test("says what the remote's own rule says", async () => {
    const { push, remote, inRemote } = await pushFixture();
    execFileSync("git", ["--git-dir", remote, "config", "receive.denyCurrentBranch", "refuse"]);
    execFileSync("git", ["--git-dir", remote, "config", "core.bare", "false"]);
    const before = inRemote("rev-parse", "refs/heads/main");
    expect(await push({ branch: "main" })).toMatchObject({
      status: "error",
      content: { detail: expect.stringContaining("[remote rejected]") },
    });
    expect(inRemote("rev-parse", "refs/heads/main")).toBe(before);
  });

  test("pushes nothing that the operator didn't set, and nothing once the fence is lost", async () => {
    const { push, inRemote, remote } = await pushFixture();
    expect(await push({ branch: "agent/x" }, { source: remote })).toMatchObject({
      status: "refused",
      errorClass: "PUSH_UNAVAILABLE",
    });
    expect(await push({ branch: "agent/x" }, { fenceHolds: () => Promise.resolve(false) })).toMatchObject({
      status: "refused",
      errorClass: "CLAIM_LOST",
    });
    expect(inRemote("branch", "--list", "agent/*")).toBe("");
  });

  test("can't be asked where the remote is gone, and the answer names no address", async () => {
    const { push, remote } = await pushFixture();
    execFileSync("mv", [remote, `${remote}.away`]);
    const outcome = await push({ branch: "agent/x" });
    expect(outcome).toMatchObject({ status: "refused", errorClass: "PUSH_UNAVAILABLE" });
    expect(JSON.stringify(outcome)).not.toContain(remote);
  });

  test("is probed at the remote: not done, done, and nobody's to say when it is a third commit", async () => {
    const { tool, here, inRemote, revision, remote } = await pushFixture();
    const ready = await tool.plan(here, { branch: "agent/fix" }, signal);
    if (ready.kind === "outcome" || ready.expected === null) throw new Error("no plan");
    const look = () => tool.probe?.(here, ready.expected ?? {}, signal);
    expect(await look()).toBe("not_done");
    inRemote("update-ref", "refs/heads/agent/fix", revision);
    expect(await look()).toBe("inconclusive");
    inRemote("update-ref", "-d", "refs/heads/agent/fix");
    await ready.run(signal);
    expect(await look()).toBe("done");
    execFileSync("mv", [remote, `${remote}.away`]);
    expect(await look()).toBe("inconclusive");
  });

  test("runs no hook of the agent's, the run's or the remote's, with the operator's credentials file in force", async () => {
    const { here, root, source, remote, workspace, shell } = await pushFixture();
    const marker = join(root, "marker");
    const evil = `#!/bin/sh\ntouch ${marker}\ncat\n`;
    for (const place of [join(workspace.gitDir, "hooks"), join(remote, "hooks")]) {
      mkdirSync(place, { recursive: true });
      for (const name of ["pre-push", "pre-receive", "reference-transaction", "post-update"]) {
        writeFileSync(join(place, name), evil);
        chmodSync(join(place, name), 0o755);
      }
    }
    await shell(
      "rm .git; git init -q .; git config core.sshCommand 'touch /ws/marker'; git config remote.pushDefault x",
    );
    const credentials = join(root, "credentials");
    writeFileSync(
      credentials,
      `[alias]\n\tpush = "!touch ${marker}"\n[core]\n\thooksPath = ${remote}/hooks\n`,
      { mode: 0o600 },
    );
    const settings = {
      commitAuthor: "Bot <bot@example.org>",
      pushCredentials: credentials,
      push: [`${source}=${remote}`],
    };
    const tool = gitTools(settings).get("git_push");
    if (tool === undefined) throw new Error("no git_push");
    expect(await callTool(tool, here, { branch: "agent/fix" })).toMatchObject({ content: { pushed: true } });
    expect([existsSync(marker), existsSync(join(workspace.tree, "marker"))]).toEqual([false, false]);
    expect(readFileSync(join(workspace.staging, "push", "gitconfig"), "utf8")).toContain(credentials);
  });

  test("obeys no configuration of the run's git dir, which without a sandbox is the agent's", async () => {
    const { push, root, remote, workspace, head, inRemote } = await pushFixture();
    const marker = join(root, "marker");
    const evil = `[core]\n\tsshCommand = touch ${marker}\n\talternateRefsCommand = touch ${marker}\n[credential]\n\thelper = "!touch ${marker}"\n`;
    const elsewhere = `[url "${root}/elsewhere"]\n\tinsteadOf = ${remote}\n\tpushInsteadOf = ${remote}\n`;
    appendFileSync(join(workspace.gitDir, "config"), evil + elsewhere);
    expect(await push({ branch: "agent/fix" })).toMatchObject({ content: { pushed: true } });
    expect(inRemote("rev-parse", "refs/heads/agent/fix")).toBe(head());
    expect(existsSync(marker)).toBe(false);
  });

  test("finds the run's commit among packed refs, and reads neither links nor pipes in their place", async () => {
    const { push, root, workspace, git, head, inRemote } = await pushFixture();
    const first = head();
    git("pack-refs", "--all");
    expect(await push({ branch: "agent/fix" })).toMatchObject({ content: { pushed: true } });
    expect(inRemote("rev-parse", "refs/heads/agent/fix")).toBe(first);
    const [packed, kept] = [join(workspace.gitDir, "packed-refs"), join(root, "kept")];
    renameSync(packed, kept);
    for (const place of [
      ["ln", "-s", kept, packed],
      ["mkfifo", packed],
    ]) {
      execFileSync(place[0] ?? "", place.slice(1));
      expect(await push({ branch: "agent/fix" })).toMatchObject({
        status: "refused",
        errorClass: "TOOL_FAILED",
      });
      rmSync(packed);
    }
  });

  test("reaches a remote by the operator's own ssh, and refuses a file that others may read", async () => {
    const { here, root, source, remote, head, inRemote } = await pushFixture();
    const ssh = join(root, "ssh");
    writeFileSync(ssh, `#!/bin/bash\necho "$@" >> ${root}/ssh.log\nexec bash -c "\${@: -1}"\n`, {
      mode: 0o755,
    });
    const credentials = join(root, "credentials");
    writeFileSync(credentials, `[core]\n\tsshCommand = ${ssh} -i key\n`, { mode: 0o600 });
    const push = [`${source}=ssh://git@git.example.org${remote}`];
    const tool = gitTools({ commitAuthor: "a <a@b>", push, pushCredentials: credentials }).get("git_push");
    if (tool === undefined) throw new Error("no git_push");
    expect(await callTool(tool, here, { branch: "agent/fix" })).toMatchObject({ content: { pushed: true } });
    expect(inRemote("rev-parse", "refs/heads/agent/fix")).toBe(head());
    expect(readFileSync(join(root, "ssh.log"), "utf8")).toContain(
      `-i key git@git.example.org git-receive-pack`,
    );
    chmodSync(credentials, 0o644);
    expect(await callTool(tool, here, { branch: "agent/other" })).toMatchObject({
      status: "refused",
      errorClass: "PUSH_UNAVAILABLE",
      detail: expect.stringContaining("may be read by others"),
    });
  });

  /** A push that waits in the remote's own hook, as behind a slow server: all of it runs on this machine. */
  async function slowPush() {
    const fixture = await pushFixture();
    const { root, source, remote } = fixture;
    const [ssh, begun, credentials] = ["ssh", "begun", "credentials"].map((name) => join(root, name));
    if (ssh === undefined || begun === undefined || credentials === undefined) throw new Error("no places");
    const script = `#!/bin/bash\nunset GIT_CONFIG_GLOBAL GIT_CONFIG_NOSYSTEM\nbash -c "\${@: -1}"\nexit $?\n`;
    writeFileSync(ssh, script, { mode: 0o755 });
    const hook = `#!/bin/bash\necho $$ > ${begun}\nsleep 1\n`;
    writeFileSync(join(remote, "hooks", "pre-receive"), hook, { mode: 0o755 });
    writeFileSync(credentials, `[core]\n\tsshCommand = ${ssh}\n`, { mode: 0o600 });
    const push = [`${source}=ssh://git@git.example.org${remote}`];
    const tool = gitTools({ commitAuthor: "a <a@b>", push, pushCredentials: credentials }).get("git_push");
    if (tool === undefined) throw new Error("no git_push");
    const atHook = () => expect.poll(() => existsSync(begun), { timeout: 20_000 }).toBe(true);
    return { ...fixture, tool, atHook, hookAlive: () => isAlive(readFileSync(begun, "utf8").trim()) };
  }

  test("is ended by the call's name with all that it started: the branch doesn't move afterwards", async () => {
    const { here, tool, atHook, hookAlive, inRemote, backend } = await slowPush();
    const pushing = callTool(tool, here, { branch: "agent/fix" });
    await atHook();
    expect(await backend.kill(here.name)).toBe(true);
    expect(hookAlive()).toBe(false);
    expect(await pushing).toMatchObject({ status: "unknown", errorClass: "OUTCOME_UNKNOWN" });
    await delay(1_500);
    expect(inRemote("branch", "--list", "agent/*")).toBe("");
  });

  test("is ended with all that it started where its run is cancelled", async () => {
    const { here, tool, atHook, hookAlive, inRemote } = await slowPush();
    const cancel = new AbortController();
    const ready = await tool.plan(here, { branch: "agent/fix" }, signal);
    if (ready.kind === "outcome") throw new Error("no plan");
    const pushing = ready.run(cancel.signal);
    await atHook();
    cancel.abort();
    expect(await pushing).toMatchObject({ status: "unknown", errorClass: "OUTCOME_UNKNOWN" });
    expect(hookAlive()).toBe(false);
    await delay(1_500);
    expect(inRemote("branch", "--list", "agent/*")).toBe("");
  });

  test("leaves nothing of the operator's credentials where the agent can look", async () => {
    const { here, push, shell, root } = await pushFixture();
    expect(await push({ branch: "agent/fix" })).toMatchObject({ status: "ok" });
    const seen = await shell(`ls -a /ws /git /tmp; ls ${root} ${here.workspace.staging} 2>&1; env`);
    expect(JSON.stringify(seen)).not.toMatch(/gitconfig|push\\n/);
  });
});

test.each([
  ["agent/fix-1.2_x", true],
  ["main", true],
  ["", false],
  ["-x", false],
  ["--force", false],
  ["+main", false],
  ["a:b", false],
  ["a..b", false],
  ["a@{1}", false],
  ["a b", false],
  ["a\n", false],
  ["/a", false],
  ["a/", false],
  ["a//b", false],
  ["a/.b", false],
  ["a/-b", false],
  ["a.lock", false],
  ["a.lock/b", false],
  ["a.", false],
  ["HEAD", false],
  ["refs/heads/main", false],
  ["é", false],
  ["a*", false],
  ["a^", false],
  ["a~1", false],
  ["x".repeat(201), false],
])("a branch named %j may be pushed: %s", (name, may) => {
  expect(isBranchName(name)).toBe(may);
  if (may) execFileSync("git", ["check-ref-format", `refs/heads/${name}`]);
});

describe("AIRLOCK_PUSH", () => {
  const targets = readPushTargets([
    "/srv/repos",
    "https://git.example.org/acme",
    "/srv/x=ssh://git@git.example.org/x",
  ]);
  test.each([
    ["/srv/repos/app", "/srv/repos/app"],
    ["/srv/repos-evil", null],
    ["/srv/repos/../etc", null],
    ["https://git.example.org/acme/api", "https://git.example.org/acme/api"],
    ["https://git.example.org/other", null],
    ["/srv/x", "ssh://git@git.example.org/x"],
    ["/srv/x/below", null],
    ["ext::sh -c x", null],
  ])("lets %s be pushed to %s", (source, address) => {
    expect(targets(source)).toBe(address);
  });

  test.each([
    "ext::sh -c x",
    "relative",
    "/a=git://x/y",
    "http://git.example.org/x",
    "https://user:secret@git.example.org/x",
    "ssh://-oProxyCommand=x/y",
    "/a=--upload-pack=x",
  ])("refuses %s, and repeats no password", (entry) => {
    expect(() => readPushTargets([entry])).toThrow(/AIRLOCK_PUSH: (?!.*secret)/);
  });
});

test.each(["", "Bot", "<a@b>", "Bot <a b>", "Bot <a@b> x", "B\not <a@b>"])(
  "%j is no author",
  (commitAuthor) => {
    expect(() => gitTools({ commitAuthor, push: [], pushCredentials: "" })).toThrow(/AIRLOCK_COMMIT_AUTHOR/);
  },
);
