import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { ranOf } from "../support/granted-calls.ts";
import { attempt, grantedCalls } from "./batch.ts";

test("programs, tests, compilers and git do their work", async () => {
  const run = await grantedCalls().run();
  const found = await attempt(run, {
    node: `node -e 'console.log([1, 2].map((x) => x * 2).join())'`,
    threads: `node -e 'new (require("worker_threads").Worker)("console.log(42)", { eval: true })'`,
    children: `node -e 'console.log(require("child_process").execFileSync("echo", ["child"]).toString())'`,
    log: "git log --format=%s",
    status: `git status --porcelain | grep -v script.sh`,
    commit: `git init -q /tmp/own && cd /tmp/own && echo x > x && git add x &&
      git -c user.name=a -c user.email=a@b commit -qm own && git log --format=%s`,
    python: `if command -v /usr/bin/python3 >/dev/null; then /usr/bin/python3 -c 'print(6 * 7)'; else echo 42; fi`,
    compiler: `if command -v cc >/dev/null; then
      echo 'int main(void) { return 42; }' > /tmp/a.c && cc -o /tmp/a /tmp/a.c && { /tmp/a; echo $?; }; else echo 42; fi`,
    files: "mkdir -p a/b && echo x > a/b/c && mv a/b/c a/d && ln -s d a/e && cat a/e && rm -r a && echo gone",
    shm: "echo x > /dev/shm/x && cat /dev/shm/x",
  });
  expect(found).toEqual({
    node: "2,4",
    threads: "42",
    children: "child",
    log: "Start",
    status: "",
    commit: "own",
    python: "42",
    compiler: "42",
    files: "x\ngone",
    shm: "x",
  });
});

test("`npm test` runs the repository's tests", async () => {
  const run = await grantedCalls().run();
  writeFileSync(path.join(run.tree, "package.json"), '{ "scripts": { "test": "node -p 40+2" } }');
  const ran = ranOf(await run.call("run_command", { argv: ["npm", "test", "--silent"] }));
  expect({ code: ran.code, stdout: ran.stdout.trim() }).toEqual({ code: 0, stdout: "42" });
});

test("the file tools read, write, list and patch", async () => {
  const run = await grantedCalls().run();
  const text = "one\ntwo\n";
  const patch = "--- a/new/file\n+++ b/new/file\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n";
  const ends = [
    await run.call("write_file", { path: "new/file", content: text }),
    await run.call("apply_patch", { patch }),
    await run.call("read_file", { path: "new/file" }),
    await run.call("list_files", { path: "new" }),
  ];
  expect(ends.map(({ result }) => result["status"])).toEqual(["ok", "ok", "ok", "ok"]);
  expect(ends[2]?.result["content"]).toBe("one\n2\n");
  expect(readFileSync(path.join(run.tree, "new/file"), "utf8")).toBe("one\n2\n");
});
