import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { gitFixture } from "./git-fixture.ts";

/** Leaves a marker where anything is writable; and since nothing may be, it hangs, so that no tool that runs it ends well. */
const MARK = "touch /ws/marker /git/marker 2>/dev/null; exec sleep 300";
const EVIL = `printf '#!/bin/sh\\n%s\\n' '${MARK}' > evil; chmod 755 evil`;
/** A repository of the agent's own in the place of the one that the tree points to. */
const OWN = "rm -rf .git; git init -q .; git add -A; git -c user.name=a -c user.email=a@b commit -qm evil";
const config = (...lines: readonly string[]) => lines.map((line) => `git config ${line}`).join("\n");
const hook = (name: string) => `mkdir -p .git/hooks; cp evil .git/hooks/${name}`;
const attributes = (text: string) => `echo '${text}' > .gitattributes`;

/** What git itself, or a file in the tree, can be told to run. */
const VECTORS: readonly (readonly [string, string])[] = [
  ["core.fsmonitor", config("core.fsmonitor /ws/evil")],
  [
    "core.hooksPath",
    `mkdir h; for n in pre-commit commit-msg post-commit post-index-change pre-push; do cp evil h/$n; done; ${config("core.hooksPath /ws/h")}`,
  ],
  ["hook pre-commit", hook("pre-commit")],
  ["hook prepare-commit-msg", hook("prepare-commit-msg")],
  ["hook commit-msg", hook("commit-msg")],
  ["hook post-commit", hook("post-commit")],
  ["hook post-index-change", hook("post-index-change")],
  ["hook reference-transaction", hook("reference-transaction")],
  ["hook pre-push", hook("pre-push")],
  ["hook pre-auto-gc", hook("pre-auto-gc")],
  [
    "filter clean",
    `${attributes("* filter=x")}; ${config("filter.x.clean /ws/evil", "filter.x.required true")}`,
  ],
  ["filter smudge", `${attributes("* filter=x")}; ${config("filter.x.smudge /ws/evil")}`],
  ["filter process", `${attributes("* filter=x")}; ${config("filter.x.process /ws/evil")}`],
  ["diff.external", config("diff.external /ws/evil")],
  ["textconv", `${attributes("* diff=x")}; ${config("diff.x.textconv /ws/evil")}`],
  ["diff driver's command", `${attributes("* diff=x")}; ${config("diff.x.command /ws/evil")}`],
  ["merge driver", `${attributes("* merge=x")}; ${config("merge.x.driver /ws/evil")}`],
  ["aliases", config("alias.status '!/ws/evil'", "alias.diff '!/ws/evil'", "alias.log '!/ws/evil'")],
  ["core.pager", config("core.pager /ws/evil", "pager.log /ws/evil", "pager.diff /ws/evil")],
  ["core.editor", config("core.editor /ws/evil", "sequence.editor /ws/evil")],
  ["gpg.program", config("gpg.program /ws/evil", "commit.gpgSign true", "log.showSignature true")],
  [
    "core.sshCommand",
    config("core.sshCommand /ws/evil", "credential.helper '!/ws/evil'", "core.askPass /ws/evil"),
  ],
  [
    "include.path",
    `printf '[core]\\n\\tfsmonitor = /ws/evil\\n[diff]\\n\\texternal = /ws/evil\\n' > inc; ${config("include.path /ws/inc")}`,
  ],
  [
    "includeIf",
    `printf '[core]\\n\\tfsmonitor = /ws/evil\\n' > inc; ${config("includeIf.gitdir:/.path /ws/inc")}`,
  ],
  [
    "core.worktree and extensions",
    config("core.worktree /", "core.repositoryFormatVersion 1", "extensions.worktreeConfig true"),
  ],
  [
    "a .git file that points elsewhere",
    `mv .git evilgit; git --git-dir=evilgit config core.fsmonitor /ws/evil; git --git-dir=evilgit config diff.external /ws/evil; echo 'gitdir: evilgit' > .git`,
  ],
  [
    "an embedded bare repository",
    `git init -q --bare bare; git --git-dir=bare config core.fsmonitor /ws/evil; cp bare/config bare/HEAD .; cp -r bare/objects bare/refs .`,
  ],
  [
    "a nested repository and a submodule",
    `git init -q sub; (cd sub; git config core.fsmonitor /ws/evil; mkdir -p .git/hooks; cp ../evil .git/hooks/post-index-change; echo x > f; git add f; git -c core.fsmonitor=false -c user.name=a -c user.email=a@b commit -qm x); git -c core.fsmonitor=false add sub; printf '[submodule "sub"]\\n\\tpath = sub\\n\\turl = ./sub\\n\\tupdate = !/ws/evil\\n' > .gitmodules`,
  ],
  [
    "difftool and mergetool",
    config("diff.tool x", "difftool.x.cmd /ws/evil", "difftool.prompt false", "mergetool.x.cmd /ws/evil"),
  ],
];

test("the vectors are at least the 28 that are known", () => {
  expect(VECTORS.length).toBeGreaterThanOrEqual(28);
});

test.each(VECTORS)("%s: no git tool runs what the agent planted", async (_, plant) => {
  const { call, shell, workspace, plan, probe, snapshot } = await gitFixture(
    "echo one > a.txt; echo two > b.txt",
  );
  const planted = await shell(`${EVIL}\n${OWN}\n${plant}\necho changed >> a.txt; rm -f marker`);
  expect(planted).toMatchObject({ content: { exitCode: 0 } });
  const trusted = readFileSync(join(workspace.gitDir, "config"), "utf8");
  const before = await snapshot();
  const status = await call("git_status", {});
  const diff = await call("git_diff", { path: "." });
  const log = await call("git_log", { path: "." });
  const ready = await plan("git_commit", { message: "an honest commit" });
  const commit = await ready.run(AbortSignal.timeout(30_000));
  for (const outcome of [status, diff, log, commit]) {
    expect(outcome).toMatchObject({ status: "ok" });
  }
  expect(diff).toMatchObject({ content: { diff: expect.stringContaining("+changed") } });
  expect(await probe("git_commit", ready)).toBe("done");
  expect(await snapshot()).toEqual(before);
  const marks = [workspace.tree, workspace.gitDir].map((place) => existsSync(join(place, "marker")));
  expect(marks).toEqual([false, false]);
  expect(readFileSync(join(workspace.gitDir, "config"), "utf8")).toBe(trusted);
});

test("a git that obeys the tree does leave the marker", async () => {
  const { shell, workspace } = await gitFixture("echo one > a.txt");
  const obeyed = config("core.fsmonitor /ws/evil");
  await shell(`${EVIL}\n${OWN}\n${obeyed}\nrm -f marker; env -u GIT_CONFIG_COUNT timeout 3 git status; true`);
  expect(existsSync(join(workspace.tree, "marker"))).toBe(true);
});
