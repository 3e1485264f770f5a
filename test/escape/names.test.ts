import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import type { CallEnd, GrantedRun } from "../support/granted-calls.ts";
import { grantedCalls, sourceMadeBy } from "./batch.ts";

/** Names that look alike, or are one on some other file system: composed and decomposed, capitals, compatibility forms. */
const TWINS = [
  ["caf\u00e9.txt", "cafe\u0301.txt"],
  ["README", "readme"],
  ["Stra\u00dfe", "STRASSE"],
  ["\u212bngstrom", "\u00c5ngstrom"],
  ["\ufb01le", "file"],
  ["dir.", "dir"],
] as const;
const NAMES = TWINS.flat();

async function contents(run: GrantedRun): Promise<Readonly<Record<string, unknown>>> {
  const read = async (name: string) =>
    [name, (await run.call("read_file", { path: `twins/${name}` })).result["content"]] as const;
  const pairs = [];
  for (const name of NAMES) pairs.push(await read(name));
  return Object.fromEntries(pairs);
}

const named = (suffix: string) => Object.fromEntries(NAMES.map((name) => [name, `${name}${suffix}`]));
const status = ({ state, result }: CallEnd): unknown => result["status"] ?? state;

test("twins by normalization or case stay two files, and a tool touches the one that was named", async () => {
  const run = await grantedCalls().run();
  for (const name of NAMES) {
    const written = await run.call("write_file", { path: `twins/${name}`, content: `${name} 1` });
    expect([name, written.result["status"], written.result["before"]]).toEqual([name, "ok", null]);
  }
  expect(await contents(run)).toEqual(named(" 1"));
  const listed = await run.call("list_files", { path: "twins" });
  expect(listed.result["entries"]).toHaveLength(NAMES.length);
  for (const [one] of TWINS) {
    const edited = await run.call("edit_file", { path: `twins/${one}`, oldText: " 1", newText: " 2" });
    expect([one, status(edited)]).toEqual([one, "ok"]);
  }
  const expected = { ...named(" 1"), ...Object.fromEntries(TWINS.map(([one]) => [one, `${one} 2`])) };
  expect(await contents(run)).toEqual(expected);
  for (const [one] of TWINS)
    expect(status(await run.call("delete_file", { path: `twins/${one}` }))).toBe("ok");
  for (const [, other] of TWINS)
    expect(readFileSync(path.join(run.tree, "twins", other), "utf8")).toBe(`${other} 1`);
});

test("twins that a repository brings are checked out, told apart and compared at the end", async () => {
  const calls = grantedCalls();
  const run = await calls.run({ source: twinSource() });
  expect(await contents(run)).toEqual(named("\n"));
  expect(await run.call("git_status", {})).toMatchObject({ state: "EXECUTED", result: { status: "ok" } });
  const [one, other] = TWINS[0];
  await run.call("write_file", { path: `twins/${one}`, content: "changed\n" });
  const diff = await calls.diffAtEnd(run);
  expect(diff.filesTotal).toBe(1);
  expect(readFileSync(path.join(run.tree, "twins", other), "utf8")).toBe(`${other}\n`);
});

/** Spellings of what git trusts that some file system takes for the same name, which a command can make here. */
const GIT_TWINS = [
  ".GIT",
  ".Git",
  ".git.",
  ".git ",
  ".git. .",
  ".g\u200cit",
  ".gi\ufefft",
  "GIT~1",
  "\uff0egit",
  ".gi\uff54",
];
const MODULE_TWINS = [".GITMODULES", ".gitModules.", ".gitmodule\u200ds"];

test("a twin of the git dir that a command made is not listed, read, written, searched or entered", async () => {
  const run = await grantedCalls().run();
  const made = [...GIT_TWINS, ...MODULE_TWINS];
  const script = made.map((name) => `mkdir -p 'x/${name}' && echo needle > 'x/${name}/config'`).join("\n");
  expect((await run.bash(script)).code).toBe(0);
  const reached: string[] = [];
  for (const name of made) {
    const at = `x/${name}`;
    const protectedForReads = GIT_TWINS.includes(name);
    const ends = [
      await run.call("write_file", { path: `${at}/hooks`, content: "x" }),
      await run.call("delete_file", { path: `${at}/config` }),
      await run.call("move_file", { from: `${at}/config`, to: "out" }),
      ...(protectedForReads
        ? [await run.call("read_file", { path: `${at}/config` }), await run.call("list_files", { path: at })]
        : []),
    ];
    if (!ends.every((end) => ["refused", "DENIED"].includes(String(status(end))))) reached.push(name);
  }
  expect(reached).toEqual([]);
  const searched = await run.call("search_files", { path: "x", pattern: "needle" });
  expect(JSON.stringify(searched.result["matches"])).not.toMatch(/git[^m]*\/config/i);
  const listed = await run.call("list_files", { path: "x" });
  expect(listed.result["entries"]).toHaveLength(MODULE_TWINS.length);
});

test("a repository that brings a twin of the git dir gives no workspace, or one in which it is out of reach", async () => {
  for (const name of [".GIT", ".git.", "git~1", ".g\u200cit"]) {
    const source = sourceMadeBy(
      "git-twin",
      `blob=$(echo '[core] fsmonitor = /ws/program' | git hash-object -w --stdin)
      inner=$(printf '100644 blob %s\\tconfig\\n' $blob | git mktree)
      tree=$(printf '040000 tree %s\\t%s\\n' $inner '${name}' | git mktree)
      git update-ref refs/heads/main $(git -c user.name=a -c user.email=a@localhost commit-tree -m Start $tree)`,
    );
    const run = await grantedCalls()
      .run({ source })
      .catch((error: unknown) => String(error));
    if (typeof run === "string") expect(run).toMatch(/WORKSPACE_(FAILED|UNAVAILABLE)|no workspace/);
    else expect(status(await run.call("read_file", { path: `${name}/config` }))).toMatch(/refused|DENIED/);
  }
});

function twinSource(): string {
  const files = NAMES.map((name) => `echo '${name}' > 'twins/${name}'`).join("\n");
  return sourceMadeBy(
    "twins",
    `mkdir twins; ${files}
    git -c core.precomposeUnicode=false -c core.ignoreCase=false add -A
    git -c user.name=a -c user.email=a@localhost commit -qm Start`,
  );
}
