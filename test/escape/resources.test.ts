import { statSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { attempt, grantedCalls } from "./batch.ts";

/** Both streams of a result together, as long as they may be. */
const RESULT_BYTES = 256 * 1024;

test.each([
  ["stdout", "yes"],
  ["stderr", "yes >&2"],
  ["a line of 300 MB", "echo first; head -c 300000000 /dev/zero | tr '\\0' x"],
])("a flood of %s is stopped, with its head and tail kept", async (_, script) => {
  const run = await grantedCalls().run();
  const { end, stdout, stderr } = await run.bash(script);
  expect(end.errorClass).toBe("OUTPUT_LIMIT");
  expect(stdout.length + stderr.length).toBeLessThanOrEqual(RESULT_BYTES);
  expect(`${stdout}${stderr}`).toMatch(/^(y\n|first\n)[^]*bytes omitted[^]*[yx]/);
});

test("files, temporary places, memory and descriptors have an end, and the next call finds none of it used", async () => {
  const calls = grantedCalls();
  const run = await calls.run();
  const found = await attempt(run, {
    file: `head -c 80000000 /dev/zero > big; stat -c %s big`,
    tmp: `head -c 60000000 /dev/zero > /tmp/a; head -c 60000000 /dev/zero > /tmp/b; du -sb /tmp | awk '{ print ($1 <= 67200000) }'; rm /tmp/*`,
    shm: `head -c 60000000 /dev/zero > /dev/shm/a; head -c 60000000 /dev/zero > /dev/shm/b; du -sb /dev/shm | awk '{ print ($1 <= 67200000) }'; rm /dev/shm/*; echo x > /tmp/left; echo x > /dev/shm/left`,
    root: `for d in / /dev /etc /var /run /git /proc; do (echo x > $d/x) && echo WROTE $d; done; echo none`,
    memory: `perl -e 'my $x = "x" x 5_000_000_000; print "HAD IT"'; echo $?`,
    node: `node -e 'const a = []; for (;;) a.push(Buffer.alloc(2 ** 30))' ; echo $?`,
    descriptors: `perl -e 'my @f; for (1 .. 2000) { open(my $f, "<", "/dev/null") or last; push @f, $f } print @f < 512 ? "few" : "many"'`,
    processes: `ulimit -u`,
    core: `ulimit -c`,
  });
  expect(found).toMatchObject({
    file: String(64 * 1024 * 1024),
    tmp: "1",
    shm: "1",
    root: "none",
    descriptors: "few",
    processes: "128",
    core: "0",
  });
  for (const hog of [found["memory"], found["node"]]) expect(hog).toMatch(/^[1-9]\d*$/);
  expect(statSync(path.join(run.tree, "big")).size).toBe(64 * 1024 * 1024);
  const after = await run.bash(`rm big; ls /tmp/left /dev/shm/left 2>/dev/null; echo clean`);
  expect(after.stdout).toBe("clean\n");
});
