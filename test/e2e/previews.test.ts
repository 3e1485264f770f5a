import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { createLedger } from "@airlock/core/ledger";
import { readTurn } from "@airlock/core/run";
import { readApproval, type ApprovalDocument } from "@airlock/operator/document";
import { answerCall } from "@airlock/operator/order";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { ROOT, startCell, type Cell } from "../support/cell.ts";
import { until } from "../support/forge.ts";
import { makeRepository } from "../support/repository.ts";
import { call, REPORT, specOf, writeFixtures } from "../support/story.ts";

const TOOLS = ["write_file", "edit_file", "delete_file", "move_file", "apply_patch", "run_command"];
const POLICY = `apiVersion: airlock.policy/v1
mode: enforce
limits: { argsBytes: 1048576 }
paths: { read: { allow: ["**"] }, write: { allow: ["**"] } }
rules:
${TOOLS.slice(0, -1)
  .map((tool) => `  - { id: ask-${tool.replaceAll("_", "-")}, decision: approve, tool: ${tool} }`)
  .join("\n")}
  - { id: ask-command, decision: approve, tool: run_command, command: { exe: npm, sub: [test] } }
`;
const OLD = "one\ntwo\nthree\n";
const PATCH = "--- a/patched.txt\n+++ b/patched.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n";
const LONG = `${"a line of a long file\n".repeat(20_000)}the end\n`;

/** Each call with what its approver is to see of the tree. */
const CALLS: Readonly<Record<string, { readonly call: ReturnType<typeof call>; readonly sees: object }>> = {
  "a write over a file": {
    call: call("write_file", { path: "written.txt", content: "one\n2\nthree\n" }),
    sees: {
      diff: expect.stringMatching(
        /--- a\/written.txt\n\+\+\+ b\/written.txt\n@@ -1,3 \+1,3 @@\n one\n-two\n\+2\n three/,
      ),
    },
  },
  "a write of a new file": {
    call: call("write_file", { path: "deep/new.txt", content: "hello\n" }),
    sees: {
      diff: expect.stringMatching(/--- \/dev\/null\n\+\+\+ b\/deep\/new.txt\n@@ -0,0 \+1,1 @@\n\+hello/),
    },
  },
  "an edit": {
    call: call("edit_file", { path: "edited.txt", oldText: "two", newText: "2" }),
    sees: { diff: expect.stringMatching(/@@ -1,3 \+1,3 @@\n one\n-two\n\+2\n three/) },
  },
  "an edit that does not fit": {
    call: call("edit_file", { path: "edited.txt", oldText: "four", newText: "4" }),
    sees: {
      tree: expect.objectContaining({ refused: expect.stringContaining("does not stand in the file") }),
    },
  },
  "a deletion": {
    call: call("delete_file", { path: "deleted.txt" }),
    sees: {
      diff: expect.stringMatching(
        /--- a\/deleted.txt\n\+\+\+ \/dev\/null\n@@ -1,3 \+0,0 @@\n-one\n-two\n-three/,
      ),
    },
  },
  "a move": {
    call: call("move_file", { from: "moved.txt", to: "there.txt" }),
    sees: { diff: "rename from moved.txt\nrename to there.txt\n" },
  },
  "a patch": {
    call: call("apply_patch", { patch: PATCH }),
    sees: {
      diff: expect.stringMatching(
        /--- a\/patched.txt\n\+\+\+ b\/patched.txt\n@@ -1,3 \+1,3 @@\n one\n-two\n\+2\n three/,
      ),
    },
  },
  "a patch that does not fit": {
    call: call("apply_patch", {
      patch: PATCH.replace("-two", "-zwei").replace("patched", "deleted").replace("patched", "deleted"),
    }),
    sees: {
      diff: expect.stringContaining("-zwei"),
      tree: expect.objectContaining({ refused: expect.stringContaining("deleted.txt: a hunk") }),
    },
  },
  "a write of a file that is no text now": {
    call: call("write_file", { path: "binary.dat", content: "text\n" }),
    sees: { diff: expect.stringMatching(/- \(4 bytes that are no text\)\n\+text/) },
  },
  "a long write": {
    call: call("write_file", { path: "long.txt", content: LONG }),
    sees: { diff: expect.stringMatching(/^--- \/dev\/null[^]*bytes omitted[^]*\+the end\n$/) },
  },
};

let cell: Cell;
let folder: string;
let repository: Awaited<ReturnType<typeof makeRepository>>;
let fixtures: Awaited<ReturnType<typeof writeFixtures>>;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "airlock-previews-"));
  await cp(path.join(ROOT, "config/policies"), path.join(folder, "policies"), { recursive: true });
  await writeFile(path.join(folder, "policies/asking.yaml"), POLICY);
  repository = await makeRepository(async (place) => {
    for (const name of ["written", "edited", "deleted", "moved", "patched"]) {
      await writeFile(path.join(place, `${name}.txt`), OLD);
    }
    await writeFile(path.join(place, "binary.dat"), Buffer.from([0, 255, 0, 1]));
  });
  const command = call("run_command", { argv: ["npm", "test"] });
  fixtures = await writeFixtures({
    changes: [[...Object.values(CALLS).map((each) => each.call), command], [REPORT]],
  });
  cell = await startCell({
    fixtures: fixtures.directory,
    sources: [repository.directory],
    env: { AIRLOCK_POLICIES: path.join(folder, "policies") },
  });
  await cell.trustRoute();
});
afterAll(async () => {
  await cell.close();
  await fixtures.remove();
  await repository.remove();
  await rm(folder, { recursive: true, force: true });
});

function approvalOf(itemKey: string): Promise<ApprovalDocument> {
  return readApproval({ redis: cell.redis, keyring: cell.keyrings.console }, itemKey);
}

/** As approvers see it once an executor has looked. */
function previewed(itemKey: string) {
  return vi.waitFor(
    async () => {
      const { shown } = (await approvalOf(itemKey)).evidence;
      if (shown.kind !== "diff" || shown.tree === null) throw new Error(`${itemKey} is not previewed`);
      return { ...shown, tree: shown.tree };
    },
    { timeout: 60_000, interval: 100 },
  );
}

test("who is asked sees what a call would change in the run's tree, and nothing has changed for it", async () => {
  const run = await cell.submit(specOf("changes", repository.directory, { tools: TOOLS, policy: "asking" }));
  await until("the question", async () => (await readTurn(cell.redis, run, 1))?.calls.size === 11, 60_000);
  const keys = Object.keys(CALLS).map((_, at) => `${run}.1.1.${at}`);
  for (const [at, [name, { sees }]] of Object.entries(CALLS).entries()) {
    const least = { tree: { seenAt: expect.any(String), changed: false, refused: null } };
    expect({ name, ...(await previewed(keys[at] ?? "")) }).toMatchObject({ name, ...least, ...sees });
  }
  const [long] = keys.slice(-1);
  expect(Buffer.byteLength((await previewed(long ?? "")).diff)).toBeLessThan(270_000);
  expect((await approvalOf(`${run}.1.1.10`)).evidence.shown).toMatchObject({ kind: "argv" });

  const tree = path.join(cell.volume, run, "tree");
  for (const name of ["written", "edited", "deleted", "moved", "patched"]) {
    expect(await readFile(path.join(tree, `${name}.txt`), "utf8")).toBe(OLD);
  }
  const ledger = createLedger(cell.redis);
  expect(await Promise.all(keys.map((key) => ledger.read(key)))).toEqual(keys.map(() => null));

  // one of them runs: of the others it is said that the files may be different now
  const [first = "", , third = ""] = keys;
  const { console: keyring, approver } = cell.keyrings;
  const answer = { answer: "approve", approver: "ana", reason: "looked at it" } as const;
  expect(
    await answerCall({ redis: cell.redis, keyring, approver }, { itemKey: first, ...answer }),
  ).toMatchObject({ kind: "stored" });
  await until("the write", async () => (await readFile(path.join(tree, "written.txt"), "utf8")) !== OLD);
  expect(await previewed(third)).toMatchObject({ tree: { changed: true } });
});
