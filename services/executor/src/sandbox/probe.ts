import { createHash, randomBytes } from "node:crypto";
import { chmod, lchown, mkdir, readdir, readFile, readlink, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { makePrivateDirectory, type ServiceUser } from "../workspace/index.ts";
import {
  DEFAULT_SANDBOX_LIMITS,
  type ProbeReport,
  type SandboxLimits,
  type SandboxSession,
  type SandboxWorkspace,
} from "./backend.ts";
import { sandboxEnvironment } from "./environment.ts";
import type { Guarantee } from "./guarantees.ts";
import {
  DAEMON_SCRIPT,
  HELD,
  HOLD_SCRIPT,
  HOLD_WITHIN_BYTES,
  judgeCanaries,
  PROBE_SCRIPT,
} from "./probe-canaries.ts";

/**
 * Tries to break out, where the workspaces lie and as the user that runs them, and reports what was shown to hold.
 * A canary that could not be tried counts as broken.
 */
export interface ProbePlace {
  readonly stateDir: string;
  readonly serviceUser: ServiceUser | null;
  readonly toolchains: readonly string[];
  /** Whether calls have a cgroup of their own. */
  readonly boundsMemory: boolean;
  open(workspace: SandboxWorkspace, limits: SandboxLimits): SandboxSession;
}

const PROBE_TIMEOUT_MS = 10_000;
const CONTROL_EXIT_CODE = 7;

export async function probeSandbox(place: ProbePlace, signal: AbortSignal): Promise<ProbeReport> {
  const token = randomBytes(12).toString("hex");
  const root = join(place.stateDir, `probe-${token}`);
  const server = createServer();
  try {
    const tree = await plantCanaries(place, root, token);
    const port = await listen(server);
    let connections = 0;
    server.on("connection", (socket) => {
      connections += 1;
      socket.destroy();
    });
    const session = place.open({ tree, git: null }, DEFAULT_SANDBOX_LIMITS);
    const exec = probeExec(session, token, signal);
    const control = await exec(["bash", "-c", `exit ${CONTROL_EXIT_CODE}`]);
    if (control.kind !== "exited" || control.code !== CONTROL_EXIT_CODE) return nothingHeld(control.text);
    const canaries = await exec(["bash", "-c", PROBE_SCRIPT, "probe", root, String(port)]);
    const daemon = await exec(["bash", "-c", DAEMON_SCRIPT, "probe", token]);
    return judgeCanaries({
      output: canaries.text,
      environmentNames: Object.keys(sandboxEnvironment(place.toolchains)),
      connections,
      networkNamespace: await readlink("/proc/self/ns/net"),
      written: await wasWritten(root, token),
      executorEnvironment: await environmentDigest(),
      daemonStarted: daemon.text.includes("started"),
      daemonAlive: await someProcessMentions(token),
      memoryBounded: place.boundsMemory && (await boundsMemory(place, { tree, token }, signal)),
      limits: DEFAULT_SANDBOX_LIMITS,
    });
  } finally {
    server.close();
    await rm(root, { recursive: true, force: true });
  }
}

/** Processes that together hold more than their limit, none of them much, must end; with room they must not. */
async function boundsMemory(
  place: ProbePlace,
  { tree, token }: { readonly tree: string; readonly token: string },
  signal: AbortSignal,
): Promise<boolean> {
  const holding = (limits: SandboxLimits): Promise<ProbeExec> =>
    probeExec(place.open({ tree, git: null }, limits), token, signal)(["bash", "-c", HOLD_SCRIPT]);
  const tight = await holding({ ...DEFAULT_SANDBOX_LIMITS, memoryBytes: HOLD_WITHIN_BYTES });
  const roomy = await holding(DEFAULT_SANDBOX_LIMITS);
  return tight.kind === "exited" && !tight.text.includes(HELD) && roomy.text.includes(HELD);
}

/** The outside is writable and readable for the sandbox's user, so that only the sandbox can stop it. */
async function plantCanaries(place: ProbePlace, root: string, token: string): Promise<string> {
  const tree = join(root, "tree");
  await makePrivateDirectory(root, place.serviceUser);
  await mkdir(tree, { mode: 0o755 });
  for (const name of ["outside", "secret"]) {
    await writeFile(join(root, name), token);
    await chmod(join(root, name), 0o666);
  }
  if (place.serviceUser !== null) await lchown(tree, place.serviceUser.uid, place.serviceUser.gid);
  return tree;
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      resolve(address !== null && typeof address === "object" ? address.port : 0);
    });
  });
}

function alwaysHolds(): Promise<boolean> {
  return Promise.resolve(true);
}

interface ProbeExec {
  readonly kind: string;
  readonly code: number | null;
  readonly text: string;
}

function probeExec(session: SandboxSession, token: string, signal: AbortSignal) {
  return async (argv: readonly string[]): Promise<ProbeExec> => {
    const shared = { name: `probe-${token}`, fenceHolds: alwaysHolds, cwdRel: "", profile: "write" as const };
    const result = await session.exec({ ...shared, argv, timeoutMs: PROBE_TIMEOUT_MS }, signal);
    if (result.kind === "exited") {
      return { kind: result.kind, code: result.code, text: result.stdout.head.toString() };
    }
    const text = "reason" in result ? result.reason : "detail" in result ? result.detail : result.kind;
    return { kind: result.kind, code: null, text };
  };
}

function nothingHeld(reason: string): ProbeReport {
  const detail: Partial<Record<Guarantee, string>> = { fs: `no sandbox starts here: ${reason}` };
  return { held: new Set(), detail };
}

async function wasWritten(root: string, token: string): Promise<boolean> {
  const names = await readdir(root);
  const outside = await readFile(join(root, "outside"), "utf8").catch(() => "");
  return outside !== token || names.length !== 3;
}

/**
 * Compared as a digest, so that the environment itself never enters the sandbox's output. Where the node binary can't be
 * read (mode 0711, as in the image), the kernel refuses even us: then nobody of our uid can read it, and no digest equals.
 */
async function environmentDigest(): Promise<string> {
  try {
    return createHash("sha256")
      .update(await readFile("/proc/self/environ"))
      .digest("hex");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EACCES") return "unreadable";
    throw error;
  }
}

async function someProcessMentions(token: string): Promise<boolean> {
  for (const entry of await readdir("/proc")) {
    if (!/^\d+$/.test(entry)) continue;
    const cmdline = await readFile(`/proc/${entry}/cmdline`, "utf8").catch(() => "");
    if (cmdline.includes(token)) return true;
  }
  return false;
}
