import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { ROOT, type Cell } from "./cell.ts";
import { program } from "./programs.ts";

export interface Airlock {
  /** its data folder */
  readonly data: string;
  (...args: readonly string[]): Promise<{
    readonly code: unknown;
    readonly stdout: string;
    readonly stderr: string;
  }>;
  remove(): Promise<void>;
}

/** The command line beside services that are there already, as an operator of a cluster runs it. */
export async function airlockBeside(
  cell: Cell,
  routes = path.join(cell.directory, "routes.yaml"),
): Promise<Airlock> {
  const data = await mkdtemp(path.join(tmpdir(), "airlock-client-"));
  await mkdir(path.join(data, "keys"), { mode: 0o700 });
  await writeFile(path.join(data, "keys/client.json"), JSON.stringify(cell.keyrings.client), { mode: 0o600 });
  const env = {
    PATH: process.env["PATH"] ?? "",
    REDIS_URL: cell.server.url,
    AIRLOCK_DATA: data,
    AIRLOCK_ROUTES: routes,
  };
  const run = async (...args: readonly string[]) => {
    const child = spawn(process.execPath, [...program("packages/cli"), ...args], { cwd: ROOT, env });
    let stdout = "";
    let stderr = "";
    child.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString("utf8")));
    child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString("utf8")));
    const [code]: readonly unknown[] = await once(child, "close");
    return { code, stdout, stderr };
  };
  return Object.assign(run, { data, remove: () => rm(data, { recursive: true, force: true }) });
}
