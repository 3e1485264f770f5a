import { execFile, spawn, type ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { chmod, chown, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { createKeyrings, type Keyring, type Role } from "@airlock/core/record";
import { program, toolchains } from "./programs.ts";
import { startRedis } from "./redis-server.ts";
import { makeRepository } from "./repository.ts";
import { ROOT } from "./root.ts";

/** Everything that a test needs to grant calls to an executor; plain data, so that it passes between processes. */
export interface ExecutorPlace {
  readonly url: string;
  readonly directory: string;
  readonly volume: string;
  readonly policies: string;
  readonly source: string;
  /** Stands in the executor's environment, in a file beside its keys, and in the path of its volume's neighbour. */
  readonly canary: string;
  readonly keyrings: Readonly<Record<Role, Keyring>>;
  /** The uid that sandboxed programs have. */
  readonly uid: number;
  readonly inImage: boolean;
}

export interface RealExecutor {
  readonly place: ExecutorPlace;
  /** All that it has written to its log so far. */
  log(): string;
  /** What its sandbox was shown to hold. */
  held(): readonly string[];
  /** The most memory that its process ever had; null in an image, where the process isn't ours to see. */
  peakBytes(): number | null;
  /** SIGKILL. */
  kill(): Promise<void>;
  close(): Promise<void>;
}

/** No rule but the sandbox's: what policy would refuse has to be held without it. */
const POLICY = `
apiVersion: airlock.policy/v1
mode: enforce
defaults: { noMatch: forbid }
limits: { argsBytes: 1048576 }
paths: { read: { allow: ["**"] }, write: { allow: ["**"] } }
rules:
  - { id: read, decision: allow, tool: read_file }
  - { id: list, decision: allow, tool: list_files }
  - { id: write, decision: allow, tool: write_file }
  - { id: patch, decision: allow, tool: apply_patch }
  - { id: search, decision: allow, tool: search_files }
  - { id: edit, decision: allow, tool: edit_file }
  - { id: delete, decision: allow, tool: delete_file }
  - { id: move, decision: allow, tool: move_file }
  - { id: status, decision: allow, tool: git_status }
  - { id: diff, decision: allow, tool: git_diff }
  - { id: log, decision: allow, tool: git_log }
  - { id: commit, decision: allow, tool: git_commit }
  - { id: scripts, decision: allow, tool: run_command, command: { exe: perl, positionals: { max: 1, allow: [script.sh] } } }
  - { id: tests, decision: allow, tool: run_command, command: { exe: npm, sub: [test], flags: { allow: [--silent] } } }
`;

/** The image's user, which owns its volume. */
const IMAGE_UID = 1000;
const NOBODY = 65_534;

const LOCKED_DOWN = [
  ["--read-only", "--cap-drop", "ALL", "--init", "--network", "host"],
  ["--security-opt", "no-new-privileges:true", "--security-opt", "systempaths=unconfined"],
  ["--security-opt", `seccomp=${path.join(ROOT, "deploy/seccomp/executor.json")}`],
  ["--tmpfs", "/tmp:size=256m,mode=1777", "--pids-limit", "2048", "--memory", "4g"],
].flat();

/**
 * A real executor process with a Redis of its own, and nobody else: the test grants its calls. With AIRLOCK_ESCAPE_IMAGE
 * the process is a container of that image, as locked down as docker-compose.yml has it.
 */
export async function startRealExecutor(
  extra: (place: ExecutorPlace) => Readonly<Record<string, string>> = () => ({}),
): Promise<RealExecutor> {
  const image = process.env["AIRLOCK_ESCAPE_IMAGE"] ?? "";
  const server = await startRedis();
  const repository = await makeRepository();
  const place = await makePlace({ url: server.url, source: repository.directory, image });
  const settings = { ...settingsOf(place), ...extra(place) };
  const name = `airlock-escape-${place.canary.slice(0, 12)}`;
  const child = image === "" ? startProcess(settings) : startContainer({ image, name, place, settings });
  let log = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on("data", (chunk: Buffer) => (log += chunk.toString("utf8")));
  }
  const kill = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, "exit");
    if (image === "") child.kill("SIGKILL");
    else await promisify(execFile)("docker", ["kill", name]);
    await exited;
  };
  const close = async (): Promise<void> => {
    await kill();
    await server.close();
    await repository.remove();
    await rm(place.directory, { recursive: true, force: true });
  };
  await started(child, () => log).catch(async (error: unknown) => {
    await close();
    throw error;
  });
  const peakBytes = (): number | null => (image === "" ? peakOf(child.pid) : null);
  return { place, log: () => log, held: () => heldIn(log), peakBytes, kill, close };
}

async function makePlace(given: {
  readonly url: string;
  readonly source: string;
  readonly image: string;
}): Promise<ExecutorPlace> {
  const { url, source, image } = given;
  const directory = await mkdtemp(path.join(tmpdir(), "airlock-escape-"));
  const [volume, policies] = [path.join(directory, "volume"), path.join(directory, "policies")];
  const canary = randomBytes(16).toString("hex");
  const keyrings = createKeyrings();
  await mkdir(volume, { mode: 0o711 });
  await mkdir(policies, { mode: 0o755 });
  await writeFile(path.join(policies, "open.yaml"), POLICY, { mode: 0o644 });
  await writeFile(path.join(directory, "executor.json"), JSON.stringify(keyrings.executor), { mode: 0o600 });
  // Open to everybody, so that nothing but the sandbox keeps it.
  await writeFile(path.join(directory, "secret"), canary, { mode: 0o666 });
  for (const open of [directory, source]) await chmod(open, 0o755);
  await chmod(path.join(directory, "secret"), 0o666);
  if (image !== "") {
    for (const owned of [volume, path.join(directory, "executor.json")])
      await chown(owned, IMAGE_UID, IMAGE_UID);
  }
  const own = process.geteuid?.() ?? 0;
  const uid = image === "" ? (own === 0 ? NOBODY : own) : IMAGE_UID;
  return { url, directory, volume, policies, source, canary, keyrings, uid, inImage: image !== "" };
}

function settingsOf(place: ExecutorPlace): Readonly<Record<string, string>> {
  return {
    REDIS_URL: place.url,
    ESCAPE_CANARY: place.canary,
    AIRLOCK_KEYRING: path.join(place.directory, "executor.json"),
    AIRLOCK_POLICIES: place.policies,
    AIRLOCK_SOURCES: path.dirname(place.source),
    AIRLOCK_VOLUME: place.volume,
    AIRLOCK_TOOLCHAINS: place.inImage ? "" : toolchains(),
  };
}

function startProcess(settings: Readonly<Record<string, string>>): ChildProcess {
  const env = { PATH: process.env["PATH"] ?? "", ...settings };
  return spawn(process.execPath, program("services/executor"), { cwd: ROOT, env });
}

function startContainer(container: {
  readonly image: string;
  readonly name: string;
  readonly place: ExecutorPlace;
  readonly settings: Readonly<Record<string, string>>;
}): ChildProcess {
  const { image, name, place, settings } = container;
  const variables = Object.entries(settings).flatMap(([key, value]) => ["--env", `${key}=${value}`]);
  // Under the same paths as outside, so that a test can look at both.
  const mounts = [
    ["--volume", `${place.directory}:${place.directory}:ro`],
    ["--volume", `${place.volume}:${place.volume}`],
    ["--volume", `${place.source}:${place.source}:ro`],
  ].flat();
  return spawn("docker", ["run", "--rm", "--name", name, ...LOCKED_DOWN, ...variables, ...mounts, image]);
}

function heldIn(log: string): readonly string[] {
  const line = log.split("\n").find((text) => text.includes('"sandbox_probed"'));
  return /"state":"([^"]*)"/.exec(line ?? "")?.[1]?.split(" ") ?? [];
}

function peakOf(pid: number | undefined): number {
  const kib = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  if (kib === undefined) throw new Error("the executor's memory can't be seen");
  return Number(kib) * 1024;
}

async function started(child: ChildProcess, log: () => string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const onData = (): void => {
      if (log().includes('"service_started"')) resolve();
    };
    child.stdout?.on("data", onData);
    child.stderr?.on("data", onData);
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`the executor ended with ${code} at its start: ${log()}`)));
  });
}
