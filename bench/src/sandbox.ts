/** Prints what a sandbox costs: `true` in the full sandbox beside `true` by a plain spawn, in turns, so that both meet the same noise. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, chown, mkdir, mkdtemp, rm } from "node:fs/promises";
import { availableParallelism, loadavg, tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { createBwrapBackend, DEFAULT_SANDBOX_LIMITS } from "../../services/executor/src/sandbox/index.ts";
import { defaultServiceUser } from "../../services/executor/src/workspace/index.ts";

const GOAL = 6;
const { values } = parseArgs({
  options: { rounds: { type: "string", default: "200" }, warmup: { type: "string", default: "20" } },
});

const effectiveUid = process.geteuid?.() ?? 0;
const serviceUser = defaultServiceUser(effectiveUid);
const root = await mkdtemp(path.join(tmpdir(), "airlock-bench-"));
const tree = path.join(root, "tree");
await chmod(root, 0o755);
await mkdir(tree);
if (serviceUser !== null) await chown(tree, serviceUser.uid, serviceUser.gid);
const stateDir = path.join(root, "sandbox");
const backend = await createBwrapBackend({
  bwrapPath: "/usr/bin/bwrap",
  stateDir,
  serviceUser,
  effectiveUid,
  toolchains: [],
});
const session = await backend.open({ tree, git: null }, DEFAULT_SANDBOX_LIMITS);
const signal = new AbortController().signal;
const request = {
  name: "bench",
  fenceHolds: () => Promise.resolve(true),
  argv: ["true"],
  cwdRel: "",
  profile: "write",
  timeoutMs: 20_000,
} as const;

async function sandboxed(): Promise<void> {
  const result = await session.exec(request, signal);
  if (result.kind !== "exited" || result.code !== 0) throw new Error(`no sandbox: ${JSON.stringify(result)}`);
}

async function plain(): Promise<void> {
  const user = serviceUser === null ? {} : { uid: serviceUser.uid, gid: serviceUser.gid };
  const child = spawn("/usr/bin/true", [], { stdio: ["ignore", "pipe", "pipe"], env: {}, ...user });
  child.stdout.resume();
  child.stderr.resume();
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`true ended with ${String(code)}`);
}

const cases = { plain, sandboxed };
const times = { plain: [] as number[], sandboxed: [] as number[] };
for (let round = -Number(values.warmup); round < Number(values.rounds); round += 1) {
  for (const name of ["plain", "sandboxed"] as const) {
    const started = performance.now();
    await cases[name]();
    if (round >= 0) times[name].push(performance.now() - started);
  }
}
await session.close();
await rm(root, { recursive: true, force: true });

function percentile(list: readonly number[], share: number): number {
  const sorted = list.toSorted((a, b) => a - b);
  return sorted[Math.floor(share * (sorted.length - 1))] ?? 0;
}

process.stdout.write(
  `Node ${process.version}, ${availableParallelism()} cores, load ${loadavg()[0]?.toFixed(1)}; ${values.rounds} rounds\n`,
);
for (const name of ["plain", "sandboxed"] as const) {
  const [p10, p50, p95] = [0.1, 0.5, 0.95].map((share) => percentile(times[name], share).toFixed(1));
  process.stdout.write(`${name.padEnd(10)} p10 ${p10} ms   p50 ${p50} ms   p95 ${p95} ms\n`);
}
const ratio = percentile(times.sandboxed, 0.5) / percentile(times.plain, 0.5);
process.stdout.write(`ratio of p50: ${ratio.toFixed(1)} (goal: at most ${GOAL})\n`);
