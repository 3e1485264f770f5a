import { execFileSync } from "node:child_process";
import { chmod, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { createBwrapBackend, type BwrapConfig, type SandboxBackend } from "../../src/sandbox/index.ts";
import {
  defaultServiceUser,
  openWorkspaceFs,
  type ServiceUser,
  type Workspace,
  type WorkspaceFs,
} from "../../src/workspace/index.ts";

export const EFFECTIVE_UID = process.geteuid?.() ?? 0;
export const SERVICE_USER: ServiceUser | null = defaultServiceUser(EFFECTIVE_UID);

/** A directory that the service user can pass through, removed after the test. */
export async function temporaryDirectory(): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), "airlock-test-"));
  await chmod(root, 0o755);
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  return root;
}

export interface TreeFixture {
  readonly root: string;
  readonly tree: string;
  readonly outside: string;
  readonly files: WorkspaceFs;
  readonly workspace: Pick<Workspace, "tree" | "gitDir" | "staging" | "baseRevision">;
}

/** A tree owned by the service user, and a directory beside it that no tool may reach. */
export async function treeFixture(): Promise<TreeFixture> {
  const root = await temporaryDirectory();
  const tree = join(root, "tree");
  const staging = join(root, "tmp");
  const outside = join(root, "outside");
  for (const dir of [tree, staging, outside]) await mkdir(dir);
  if (SERVICE_USER !== null) execFileSync("chown", [`${SERVICE_USER.uid}:${SERVICE_USER.gid}`, tree]);
  const files = await openWorkspaceFs({ tree, staging, serviceUser: SERVICE_USER });
  onTestFinished(() => files.close());
  const workspace = { tree, gitDir: join(root, "git"), staging, baseRevision: "0".repeat(40) };
  return { root, tree, outside, files, workspace };
}

export async function backendFixture(
  stateDir: string,
  overrides: Partial<BwrapConfig> = {},
): Promise<SandboxBackend> {
  const identity = { serviceUser: SERVICE_USER, effectiveUid: EFFECTIVE_UID };
  return createBwrapBackend({
    bwrapPath: "/usr/bin/bwrap",
    stateDir,
    toolchains: [],
    ...identity,
    ...overrides,
  });
}

/** A repository with one commit, made with nobody's configuration. */
export function gitRepository(path: string, script: string): string {
  const env = {
    PATH: "/usr/bin:/bin",
    HOME: "/nonexistent",
    GIT_AUTHOR_NAME: "a",
    GIT_AUTHOR_EMAIL: "a@example.org",
    GIT_COMMITTER_NAME: "a",
    GIT_COMMITTER_EMAIL: "a@example.org",
  };
  const text = `git init -q -b main "$1" && cd "$1" && ${script}\ngit add -A && git commit -qm first && git rev-parse HEAD`;
  return execFileSync("bash", ["-ec", text, "bash", path], { env, encoding: "utf8" }).trim();
}
