import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

export interface Started {
  readonly child: ChildProcess;
  /** its first words */
  readonly said: string;
}

/** Starts a file of this folder as a process of its own, and waits until it says something. */
export async function startProcess(file: string, args: readonly string[]): Promise<Started> {
  const place = fileURLToPath(new URL(file, import.meta.url));
  const child = spawn(process.execPath, ["--conditions=source", "--import", "tsx", place, ...args], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [said] = (await once(child.stdout, "data")) as [Buffer];
  return { child, said: said.toString("utf8").trim() };
}
