import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { DEFAULT_SANDBOX_LIMITS } from "../../src/sandbox/index.ts";
import { openWorkspaceFs, prepareWorkspace } from "../../src/workspace/index.ts";
import { backendFixture, gitRepository, SERVICE_USER, temporaryDirectory } from "../workspace/fixture.ts";
import { callsOver } from "./tool-fixture.ts";

/** The tools over a run's workspace as the executor makes it; `script` makes the source's only commit. */
export async function gitFixture(script = "echo one > a.txt") {
  const root = await temporaryDirectory();
  const source = join(root, "source");
  const revision = gitRepository(source, script);
  const request = {
    volume: join(root, "volume"),
    runId: "r00000000000000000000",
    source,
    ref: "main",
    serviceUser: SERVICE_USER,
  };
  const workspace = await prepareWorkspace(request, AbortSignal.timeout(60_000));
  const files = await openWorkspaceFs({ ...workspace, serviceUser: SERVICE_USER });
  onTestFinished(() => files.close());
  const backend = await backendFixture(join(root, "state"));
  const { tree, gitDir, objects } = workspace;
  const session = await backend.open({ tree, git: { gitDir, objects } }, DEFAULT_SANDBOX_LIMITS);
  const calls = callsOver({ root, files, workspace, session });
  return {
    ...calls,
    root,
    source,
    revision,
    workspace,
    files,
    backend,
    /** As the agent's own program does it: in the tree, as the service user. */
    shell: (text: string) => calls.call("run_command", { argv: ["bash", "-ec", text] }),
    /** The run's repository as somebody outside sees it. */
    git: (...args: readonly string[]) => gitIn(gitDir, args),
    gitIn,
  };
}

function gitIn(gitDir: string, args: readonly string[]): string {
  const env = {
    PATH: "/usr/bin:/bin",
    HOME: "/nonexistent",
    GIT_CONFIG_COUNT: "1",
    GIT_CONFIG_KEY_0: "safe.directory",
    GIT_CONFIG_VALUE_0: "*",
  };
  return execFileSync("git", [`--git-dir=${gitDir}`, ...args], { env, encoding: "utf8" }).trim();
}
