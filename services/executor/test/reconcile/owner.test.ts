import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { ownerName, standingOf } from "../../src/reconcile/owner.ts";

/** The name of another process in our process space. */
function ownerOf(pid: number, ours: string): string {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const started = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
  return ours.replace(/_\d+-\d+_.*/, `_${pid}-${started}_00000000-0000-0000-0000-000000000000`);
}

test("an owner's name can name a folder, and is never the same twice", () => {
  expect(ownerName()).toMatch(/^[\w-]+$/);
  expect(ownerName()).not.toBe(ownerName());
});

test("our own name is ours, and another of our process is alive", () => {
  const ours = ownerName();
  expect(standingOf(ours, ours)).toBe("ours");
  expect(standingOf(ownerName(), ours)).toBe("alive");
});

test("a process beside us is alive until it is dead, also while nobody has collected it", async () => {
  const ours = ownerName();
  // its child dies and stays a zombie, since exec leaves nobody who waits for it
  const shell = spawn("bash", ["-c", "sleep 1000 & echo $!; exec sleep 1000"]);
  const [line]: readonly Buffer[] = await once(shell.stdout, "data");
  const pid = Number(line?.toString());
  const [parent, child] = [ownerOf(shell.pid ?? 0, ours), ownerOf(pid, ours)];
  expect([standingOf(parent, ours), standingOf(child, ours)]).toEqual(["alive", "alive"]);
  // as long as it is bash, it collects what dies
  await expect.poll(() => readFileSync(`/proc/${shell.pid}/comm`, "utf8")).toBe("sleep\n");
  process.kill(pid, "SIGKILL");
  await expect.poll(() => standingOf(child, ours)).toBe("gone");
  expect(readFileSync(`/proc/${pid}/stat`, "utf8")).toContain(") Z ");
  shell.kill("SIGKILL");
  await once(shell, "exit");
  expect(standingOf(parent, ours)).toBe("gone");
});

test("a pid that another process has by now is gone", () => {
  const ours = ownerName();
  expect(standingOf(ours.replace(/-\d+_[^_]+$/, "-1_00000000-0000-0000-0000-000000000000"), ours)).toBe(
    "gone",
  );
});

test.each([
  ["of another process space", (ours: string) => ours.replace(/_[0-9a-f]{12}_/, "_000000000000_")],
  ["of another form", () => "executor-1"],
])("one %s can be seen dead by nobody here", (_, other) => {
  const ours = ownerName();
  expect(standingOf(other(ours), ours)).toBe("elsewhere");
});
