import { randomBytes } from "node:crypto";
import { rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { seccompFilter } from "./seccomp-filter.ts";

/** The filters as files that bubblewrap reads from a descriptor; null on an architecture without one. */
export interface SeccompFiles {
  readonly closed: string;
  /** For a profile with a network. */
  readonly network: string;
}

export async function writeSeccompFiles(
  stateDir: string,
  architecture: string = process.arch,
): Promise<SeccompFiles | null> {
  const filters = { closed: seccompFilter(architecture, false), network: seccompFilter(architecture, true) };
  const { closed, network } = filters;
  if (closed === null || network === null) return null;
  const files = { closed: join(stateDir, "seccomp-closed"), network: join(stateDir, "seccomp-network") };
  await Promise.all([writeWhole(files.closed, closed), writeWhole(files.network, network)]);
  return files;
}

/** Never half there: the executors of a pool share this folder. */
async function writeWhole(file: string, content: Uint8Array): Promise<void> {
  const aside = `${file}.${randomBytes(6).toString("hex")}`;
  await writeFile(aside, content, { mode: 0o600 });
  await rename(aside, file);
}
