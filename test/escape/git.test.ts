import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, inject, test } from "vitest";
import type { GrantedRun } from "../support/granted-calls.ts";
import { attempt, grantedCalls } from "./batch.ts";
import { GIT_OPERATIONS, GIT_VECTORS, HOOKS } from "./git-vectors.ts";

const place = inject("executor");
const gitDir = (run: GrantedRun): string => path.join(path.dirname(run.tree), "git");
const names = Object.keys(GIT_VECTORS);

/** A folder for each vector with a repository of its own in it, where the run's own `.git` file was. */
function plant(vector: string, at: number): string {
  const script = vector.replaceAll("PROGRAM", "/ws/program").replaceAll("HOOKS", HOOKS);
  return `mkdir /ws/v${at} && cd /ws/v${at} && git init -q . && echo x > f && git add f 2>/dev/null
    git -c user.name=a -c user.email=a@b commit -qm x; echo y >> f; ${script}`;
}

const PROGRAM = `cat > /ws/program <<'END'
#!/bin/sh
touch /ws/ran 2>/dev/null; touch ${place.directory}/ran 2>/dev/null; cat
END
chmod 755 /ws/program; export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b`;

/** Which vectors' programs ran while these gits did what is asked of a repository. */
function operate(git: string): string {
  const each = names.map((_, at) => {
    const asked = GIT_OPERATIONS.map((operation) => `timeout 5 ${git} ${operation} </dev/null`).join("; ");
    return `cd /ws/v${at}; rm -f /ws/ran; { ${asked}; } >/dev/null 2>&1; [ -e /ws/ran ] && echo ${at}`;
  });
  return `${PROGRAM}\n${each.join("\n")}\ntrue`;
}

function named(stdout: string): readonly string[] {
  return stdout
    .trim()
    .split("\n")
    .filter((line) => line !== "")
    .map((at) => names[Number(at)] ?? at);
}

async function plantedRun(): Promise<GrantedRun> {
  const run = await grantedCalls().run();
  const planted = await run.bash(
    `${PROGRAM}\n${Object.values(GIT_VECTORS)
      .map(plant)
      .map((script) => `(${script}) >/dev/null 2>&1`)
      .join("\n")}\ntrue`,
  );
  expect(planted.code).toBe(0);
  return run;
}

test("no setting of a repository that the agent wrote is obeyed where the run's own git dir is named", async () => {
  const run = await plantedRun();
  const before = snapshot(gitDir(run));
  const trusted = await run.bash(operate("git --git-dir=/git --work-tree=."));
  expect(named(trusted.stdout)).toEqual([]);
  // The same vectors do run a program in a repository of the agent's own, in its sandbox: the table isn't empty words.
  const own = named((await run.bash(operate("git -c safe.directory=*"))).stdout);
  expect(own.length).toBeGreaterThan(8);
  expect(snapshot(gitDir(run))).toEqual(before);
  expect(readdirSync(place.directory)).not.toContain("ran");
});

test("replacing `.git` changes nothing for the executor, and a later call has the run's history again", async () => {
  const run = await grantedCalls().run();
  const found = await attempt(run, {
    replace: "rm .git && git init -q . && git config core.fsmonitor /ws/program && echo replaced",
    history: "git --git-dir=/git log --format=%s",
    config: "git --git-dir=/git config core.fsmonitor /ws/program && echo WROTE",
    hooks: "mkdir /git/hooks && echo WROTE; touch /git/x && echo WROTE; ln -s x /git/y && echo WROTE",
    commit: "git --git-dir=/git --work-tree=/ws commit --allow-empty -qm x && echo WROTE",
    refs: "git --git-dir=/git update-ref refs/heads/airlock HEAD~0 && git --git-dir=/git branch x && echo WROTE",
    objects: "echo x | git --git-dir=/git hash-object -w --stdin && echo WROTE",
  });
  const kept = {
    replace: "replaced",
    history: "Start",
    config: "",
    hooks: "",
    commit: "",
    refs: "",
    objects: "",
  };
  expect(found).toEqual(kept);
  expect(await run.call("read_file", { path: "package.json" })).toMatchObject({ result: { status: "ok" } });
});

test("git tools obey nothing that the agent planted, also when they commit", async () => {
  const run = await plantedRun();
  const hooks = HOOKS.split(" ").map((hook) => `cp program .githooks/${hook}`);
  await run.bash(`mkdir .githooks; ${hooks.join("; ")}; rm -f ran
    printf '* filter=x diff=x merge=x\\n' > .gitattributes; printf '[core]\\n\\thooksPath = .githooks\\n' > .gitconfig`);
  for (const [tool, args] of [
    ["git_status", {}],
    ["git_diff", { path: "." }],
    ["git_commit", { message: "All that is there" }],
    ["git_log", { path: ".", maxCount: 3 }],
  ] as const) {
    expect([tool, (await run.call(tool, args)).state]).toEqual([tool, "EXECUTED"]);
    expect([tool, readdirSync(run.tree).includes("ran")]).toEqual([tool, false]);
  }
  expect(readdirSync(place.directory)).not.toContain("ran");
});

const FLAGS = [
  "--upload-pack=/ws/program",
  "-c core.fsmonitor=/ws/program",
  "--output=/ws/out",
  "--ext-diff",
  "--exec=/ws/program",
  "-O/ws/out",
  "ext::/ws/program",
  "HEAD --output=/ws/out",
  "HEAD..--output=x",
  "@{-1}",
  ":/x",
];

test("a flag is never a path, a revision or a message's end for git", async () => {
  const run = await grantedCalls().run();
  await run.bash(PROGRAM);
  const before = readdirSync(run.tree);
  for (const flag of FLAGS) {
    for (const [tool, args] of [
      ["git_diff", { path: ".", base: flag }],
      ["git_log", { path: ".", start: flag }],
    ] as const) {
      expect([tool, flag, (await run.call(tool, args)).state]).toEqual([tool, flag, "DENIED"]);
    }
    for (const tool of ["git_diff", "git_log"]) {
      const { result } = await run.call(tool, { path: flag });
      expect([tool, flag, JSON.stringify(result).includes("Start")]).toEqual([tool, flag, false]);
    }
  }
  expect(readdirSync(run.tree)).toEqual(before);
  const message = "--amend\n\n--author=x <x@x>";
  expect(await run.call("git_commit", { message })).toMatchObject({ state: "EXECUTED" });
  const log = await run.call("git_log", { path: "." });
  expect(JSON.stringify(log.result)).toMatch(/--amend[^]*Start/);
});

/** Names and sizes of all that lies in the git dir, and its settings. */
function snapshot(folder: string): readonly string[] {
  const entries = readdirSync(folder, { recursive: true, encoding: "utf8" }).toSorted();
  return [
    ...entries,
    readFileSync(path.join(folder, "config"), "utf8"),
    readFileSync(path.join(folder, "HEAD"), "utf8"),
  ];
}
