import { existsSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readLog } from "../../src/tools/git/git-log.ts";
import { readStatus } from "../../src/tools/git/read-status.ts";
import { gitFixture } from "./git-fixture.ts";
import { ALL_TOOLS } from "./tool-fixture.ts";

const signal = AbortSignal.timeout(60_000);
const SOURCE = "echo one > a.txt; echo two > b.txt; mkdir d; echo x > d/c.txt; echo '*.log' > .gitignore";
const CHANGES = "echo 1 > a.txt; rm b.txt; echo n > new.txt; echo l > x.log; chmod +x d/c.txt";
const durationMs: unknown = expect.any(Number);

describe("git_status", () => {
  test("names every path that differs, and nothing of a clean tree", async () => {
    const { call, shell, revision } = await gitFixture(SOURCE);
    const clean = {
      branch: "airlock",
      commit: revision,
      startCommit: revision,
      files: [],
      truncated: false,
      durationMs,
    };
    expect(await call("git_status", {})).toEqual({ status: "ok", errorClass: null, content: clean });
    await shell(CHANGES);
    expect(await call("git_status", {})).toMatchObject({
      content: {
        files: [
          { path: "a.txt", kind: "modified" },
          { path: "b.txt", kind: "deleted" },
          { path: "d/c.txt", kind: "modified" },
          { path: "new.txt", kind: "untracked" },
        ],
      },
    });
  });

  test("gives names as they are, and ends with what fits", async () => {
    const { call, shell } = await gitFixture();
    await shell("touch 'q\"é x' $'new\\nline'");
    expect(await call("git_status", {})).toMatchObject({
      content: { files: [{ path: "new\nline" }, { path: 'q"é x' }] },
    });
    await shell("for i in {1..300}; do touch file-$i; done");
    expect(await call("git_status", {})).toMatchObject({ content: { truncated: true } });
  });

  test("reads no record that it doesn't know", () => {
    const text =
      "# branch.oid (initial)\0# branch.head main\0# branch.upstream x\0? a\0x b\x001 short\0? cut";
    expect(readStatus(text)).toEqual({
      commit: null,
      branch: "main",
      entries: [{ path: "a", kind: "untracked" }],
      unread: 2,
    });
  });
});

describe("git_diff", () => {
  test("shows what changed since the last commit, or since another, below a path", async () => {
    const { call, shell, revision } = await gitFixture(SOURCE);
    await shell(CHANGES);
    const all = await call("git_diff", { path: "." });
    expect(all).toMatchObject({
      content: { base: "HEAD", files: 3, hidden: 0, omittedBytes: 0, truncated: false },
    });
    const text = JSON.stringify(all);
    expect(text).toContain("--- a/a.txt\\n+++ b/a.txt\\n@@ -1 +1 @@\\n-one\\n+1");
    expect(text).toContain("old mode 100644\\nnew mode 100755");
    expect(await call("git_diff", { path: "d" })).toMatchObject({ content: { files: 1 } });
    expect(await call("git_diff", { path: "*" })).toMatchObject({ content: { files: 0, diff: "" } });
    await call("git_commit", { message: "x" });
    expect(await call("git_diff", { path: "." })).toMatchObject({ content: { files: 0, diff: "" } });
    expect(await call("git_diff", { path: ".", base: "HEAD~1" })).toMatchObject({ content: { files: 4 } });
    expect(await call("git_diff", { path: ".", base: revision })).toMatchObject({ content: { files: 4 } });
  });

  test("leaves out what policy hides", async () => {
    const { call, shell } = await gitFixture("echo KEY=1 > .env; echo a > a.txt");
    await shell("echo KEY=2 > .env; echo b > a.txt");
    const may = (_: string, path: string) => path !== ".env";
    const outcome = await call("git_diff", { path: "." }, { may });
    expect(outcome).toMatchObject({ content: { files: 1, hidden: 1 } });
    expect(JSON.stringify(outcome)).not.toContain("KEY");
  });

  test.each([
    { path: ".", base: "--output=/ws/x" },
    { path: ".", base: "HEAD..main" },
    { path: ".", base: "main" },
    { path: "--output=x" },
    { path: ".." },
    { path: "/etc" },
    { path: ".git" },
    { path: ":(top)a" },
  ])("takes %j for no flag, range or magic", async (args) => {
    const { call, snapshot, shell } = await gitFixture();
    await shell("echo 2 > a.txt");
    const before = await snapshot();
    const outcome = await call("git_diff", args);
    expect(outcome.status === "ok" ? outcome.content["diff"] : outcome.status).toMatch(/^(|refused)$/);
    expect(await snapshot()).toEqual(before);
  });
});

describe("git_log", () => {
  test("gives commits with their messages and files", async () => {
    const { call, shell, revision } = await gitFixture(SOURCE);
    await shell("rm b.txt; echo 3 > $'od\\td'");
    await call("git_commit", { message: "second\n\nwith a body" });
    const outcome = await call("git_log", { path: "." });
    expect(outcome).toMatchObject({
      status: "ok",
      content: {
        commits: [
          {
            parents: [revision],
            author: { name: "Bot", email: "bot@example.org" },
            message:
              "second\n\nwith a body\n\nAirlock-Run: r00000000000000000000\nAirlock-Item: r00000000000000000000.1.1.0",
            files: [
              { change: "D", path: "b.txt" },
              { change: "A", path: "od\td" },
            ],
            moreFiles: 0,
          },
          { commit: revision, message: "first", files: { length: 4 } },
        ],
        truncated: false,
      },
    });
    expect(await call("git_log", { path: "b.txt", maxCount: 1 })).toMatchObject({
      content: { commits: { length: 1 } },
    });
    expect(await call("git_log", { path: "a.txt" })).toMatchObject({
      content: { commits: [{ commit: revision }] },
    });
    expect(await call("git_log", { path: ".", start: "HEAD~1" })).toMatchObject({
      content: { commits: [{ commit: revision }] },
    });
  });

  test("ends where the text is cut off", () => {
    const commit = "0".repeat(40);
    const record = `${commit}\0\0a\0a@x\0date\0text\n`;
    expect(readLog(`${record}\0\nM\0f\0${commit}\0\0a`)).toMatchObject([
      { files: [{ change: "M", path: "f" }] },
    ]);
    expect(readLog("")).toEqual([]);
  });
});

describe("git_commit", () => {
  test("commits everything that changed, with its trailers, and leaves nothing staged", async () => {
    const { call, shell, git, revision } = await gitFixture(SOURCE);
    await shell(`${CHANGES}; mkdir -p .husky; echo x > .husky/pre-push`);
    const outcome = await call("git_commit", { message: "fix: all of it\n" });
    expect(outcome).toEqual({
      status: "ok",
      errorClass: null,
      content: {
        commit: git("rev-parse", "HEAD"),
        parent: revision,
        files: [
          { path: "a.txt", kind: "modified", touchesTrustedConfig: false },
          { path: "b.txt", kind: "deleted", touchesTrustedConfig: false },
          { path: "d/c.txt", kind: "modified", touchesTrustedConfig: false },
          { path: ".husky/pre-push", kind: "untracked", touchesTrustedConfig: true },
          { path: "new.txt", kind: "untracked", touchesTrustedConfig: false },
        ],
        totalFiles: 5,
        leftOut: [],
        touchesTrustedConfig: true,
        durationMs,
      },
    });
    expect(git("log", "-1", "--format=%B")).toBe(
      "fix: all of it\n\nAirlock-Run: r00000000000000000000\nAirlock-Item: r00000000000000000000.1.1.0",
    );
    expect(git("log", "-1", "--format=%an <%ae> %cn <%ce>")).toBe(
      "Bot <bot@example.org> Bot <bot@example.org>",
    );
    expect(git("rev-parse", "HEAD~1")).toBe(revision);
    expect(
      git("ls-tree", "-r", "HEAD")
        .replaceAll(/ blob \w+/g, "")
        .split("\n"),
    ).toEqual([
      "100644\t.gitignore",
      "100644\t.husky/pre-push",
      "100644\ta.txt",
      "100755\td/c.txt",
      "100644\tnew.txt",
    ]);
    expect(await call("git_status", {})).toMatchObject({ content: { files: [] } });
    expect(await call("git_commit", { message: "again" })).toMatchObject({
      status: "refused",
      detail: "there is nothing to commit",
    });
  });

  test("takes only what is below its path and what policy lets it write", async () => {
    const { call, shell, git } = await gitFixture(SOURCE);
    await shell(
      "echo 1 > a.txt; echo 2 > d/c.txt; echo 3 > d/secret; echo '[submodule]' > d/.gitmodules; ln -s /etc/passwd d/link",
    );
    await shell(
      "git init -q d/nested; cd d/nested; echo x > x; git add x; git -c user.name=a -c user.email=a@b commit -qm x",
    );
    const may = (_: string, path: string) => path !== "d/secret";
    const outcome = await call("git_commit", { message: "one", path: "d" }, { may });
    expect(outcome).toMatchObject({
      content: {
        files: [{ path: "d/c.txt" }],
        leftOut: ["d/.gitmodules", "d/link", "d/nested/", "d/secret"],
      },
    });
    expect(git("show", "--format=", "--name-only", "HEAD")).toBe("d/c.txt");
    expect(await call("git_commit", { message: "none", path: "d" }, { may })).toMatchObject({
      status: "refused",
      detail: expect.stringContaining("d/secret"),
    });
  });

  test.each(["Airlock-Item: r00000000000000000000.1.1.1", "x\n\nairlock-run: r", "x\0y"])(
    "takes no message like %j",
    async (message) => {
      const { call, shell } = await gitFixture();
      await shell("echo 1 > a.txt");
      expect(await call("git_commit", { message })).toMatchObject({
        status: "refused",
        errorClass: "TOOL_FAILED",
      });
    },
  );

  test.each(["--amend", "-F /etc/passwd", "@file", "$(touch /ws/x)"])(
    "takes %j for a message",
    async (message) => {
      const { call, shell, git } = await gitFixture();
      await shell("echo 1 > a.txt");
      expect(await call("git_commit", { message })).toMatchObject({ status: "ok" });
      expect(git("log", "-1", "--format=%s")).toBe(message);
      expect(git("rev-list", "--count", "HEAD")).toBe("2");
    },
  );

  test("is planned before the call has begun, when no fence holds yet", async () => {
    const { plan, shell, context } = await gitFixture();
    await shell("echo 1 > a.txt");
    const early = { ...context, fenceHolds: () => Promise.resolve(false) };
    const planned = await ALL_TOOLS.get("git_commit")?.plan(early, { message: "x" }, signal);
    expect(planned).toMatchObject({ kind: "ready" });
    expect(await plan("git_commit", { message: "x" })).toMatchObject({ kind: "ready" });
  });

  test("starts nothing once the fence is lost, and works on after a git that was killed left its locks", async () => {
    const { call, shell, git, workspace, revision } = await gitFixture();
    await shell("echo 1 > a.txt");
    const lost = await call("git_commit", { message: "x" }, { fenceHolds: () => Promise.resolve(false) });
    expect(lost).toMatchObject({ status: "refused", errorClass: "CLAIM_LOST" });
    expect(git("rev-parse", "HEAD")).toBe(revision);
    for (const lock of ["index.lock", "HEAD.lock", "refs/heads/airlock.lock"]) {
      writeFileSync(join(workspace.gitDir, lock), "");
    }
    expect(await call("git_commit", { message: "x" })).toMatchObject({ status: "ok" });
  });

  test("is found by its trailer: not before, then done, and another's commit is nobody's to judge", async () => {
    const { call, plan, probe, shell } = await gitFixture();
    await shell("echo 1 > a.txt");
    const ready = await plan("git_commit", { message: "x" });
    expect(await probe("git_commit", ready)).toBe("not_done");
    await ready.run(signal);
    expect(await probe("git_commit", ready)).toBe("done");
    await shell("echo 2 > a.txt");
    const second = await plan("git_commit", { message: "y" });
    await call("git_commit", { message: "z" }, { itemKey: "r00000000000000000000.1.1.1" });
    expect(await probe("git_commit", second)).toBe("inconclusive");
  });
});

describe("the git dir", () => {
  test("is read-only for the agent's own programs, also after a commit", async () => {
    const { call, shell, workspace, git } = await gitFixture();
    await shell("echo 1 > a.txt");
    expect(await call("git_commit", { message: "x" })).toMatchObject({ status: "ok" });
    for (const text of [
      "touch /git/x",
      "git config core.pager x",
      "git commit --allow-empty -m x",
      "rm -rf /git/hooks /git/HEAD",
    ]) {
      expect(await shell(text)).not.toMatchObject({ content: { exitCode: 0 } });
    }
    expect(existsSync(join(workspace.gitDir, "x"))).toBe(false);
    expect(git("rev-list", "--count", "HEAD")).toBe("2");
  });

  test("is the executor's own, whatever the agent makes of .git in its tree", async () => {
    const { call, shell, revision, workspace } = await gitFixture();
    await shell(
      "rm .git; git init -q .; git -c user.name=a -c user.email=a@b commit -q --allow-empty -m evil",
    );
    expect(await call("git_status", {})).toMatchObject({ content: { commit: revision, files: [] } });
    await shell("rm -rf .git");
    symlinkSync("/", join(workspace.tree, ".git"));
    expect(await call("git_log", { path: "." })).toMatchObject({
      content: { commits: [{ commit: revision }] },
    });
  });
});
