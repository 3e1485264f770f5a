import { chmod, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { mkdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { resolveCommand } from "../../src/sandbox/command-table.ts";

/** A folder with programs that are named like real ones, as a workspace or a toolchain could hold them. */
let folder = "";

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "airlock-table-"));
  await mkdir(join(folder, "bin"));
  for (const path of ["git", "bin/git", "bin/tool"]) {
    await writeFile(join(folder, path), "#!/bin/sh\n");
    await chmod(join(folder, path), 0o755);
  }
  await symlink(join(folder, "git"), join(folder, "bin/linked"));
  await symlink("/etc/hostname", join(folder, "bin/elsewhere"));
  await writeFile(join(folder, "bin/plain"), "");
});

afterAll(async () => {
  await rm(folder, { recursive: true });
});

describe("a program's name is resolved by the executor", () => {
  test("to the system's own, whatever lies elsewhere under the same name", async () => {
    expect(await resolveCommand("env", [])).toEqual({ ok: true, path: "/usr/bin/env" });
  });

  test("to the operator's toolchains first", async () => {
    expect(await resolveCommand("tool", [folder])).toEqual({ ok: true, path: join(folder, "bin/tool") });
  });

  test.each([["/tmp/git"], ["./git"], ["../git"], ["bin/git"], ["git/"], ["/usr/bin/git"], [""], ["git\0"]])(
    "never through a path: %j",
    async (name) => {
      expect((await resolveCommand(name, [folder])).ok).toBe(false);
    },
  );

  test.each([["elsewhere"], ["plain"], ["absent"], ["GIT"], ["tool "]])(
    "never to what is no program of these folders: %j",
    async (name) => {
      expect((await resolveCommand(name, [folder])).ok).toBe(false);
    },
  );

  test("never by the PATH that the executor was started with", async () => {
    const before = process.env["PATH"];
    process.env["PATH"] = `${join(folder, "bin")}:${before}`;
    try {
      expect((await resolveCommand("tool", [])).ok).toBe(false);
    } finally {
      process.env["PATH"] = before;
    }
  });
});
