import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { evaluateInView, loadPolicy } from "@airlock/core/policy";
import { openRoot } from "../../src/workspace/held-directory.ts";
import { openWorkspaceFs } from "../../src/workspace/index.ts";
import { lookAt } from "../../src/workspace/look-at.ts";

let folder = "";

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "airlock-view-"));
  await mkdir(path.join(folder, "src"));
  await mkdir(path.join(folder, "docs"));
  await writeFile(path.join(folder, "src/a"), "");
  await symlink("../docs", path.join(folder, "src/link"));
  await symlink("/etc", path.join(folder, "src/etc"));
});

afterEach(() => rm(folder, { recursive: true, force: true }));

const policy = loadPolicy({
  name: "p.yaml",
  text: 'apiVersion: airlock.policy/v1\nmode: enforce\npaths: { write: { allow: ["src/**"] } }\nrules: [{ id: w, decision: allow, tool: write_file }]\n',
});

describe("the executor's view of a workspace", () => {
  test.each([
    [["src", "a"], { kind: "other" }],
    [["src"], { kind: "other" }],
    [["src", "link"], { kind: "link", target: "../docs" }],
    [["src", "link", "below"], { kind: "missing" }],
    [["src", "gone"], { kind: "missing" }],
    [["src", "a", "below"], { kind: "missing" }],
    [["src", "x".repeat(300)], { kind: "missing" }],
    [[], { kind: "other" }],
  ])("%j is %j", async (components, entry) => {
    const root = await openRoot(folder);
    expect(await lookAt(root, components)).toEqual(entry);
    await root.close();
  });

  test.each([
    ["src/a", "allow"],
    ["src/new/file", "allow"],
    ["src/link/a", "forbid"],
    ["src/etc/passwd", "forbid"],
  ])("makes the decision on %s %s", async (place, decision) => {
    const root = await openRoot(folder);
    const request = {
      tool: "write_file",
      effect: "mutating",
      arguments: { path: place, content: "" },
      claims: { reads: [], writes: [place], workspace: "none" },
      place: null,
    } as const;
    expect((await evaluateInView(policy, request, (components) => lookAt(root, components))).decision).toBe(
      decision,
    );
    await root.close();
  });

  test("may change between decision and execution: what decided is not what opens a file then", async () => {
    const root = await openRoot(folder);
    expect(await lookAt(root, ["src", "a"])).toEqual({ kind: "other" });
    await rm(path.join(folder, "src"), { recursive: true });
    await symlink("docs", path.join(folder, "src"));
    const files = await openWorkspaceFs({ tree: folder, staging: folder, serviceUser: null });
    expect(await files.writeFile("src/a", Buffer.from("x"))).toMatchObject({
      ok: false,
      errorClass: "PATH_REFUSED",
    });
    await files.close();
    await root.close();
  });
});
