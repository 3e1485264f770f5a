import { readdir, readFile } from "node:fs/promises";

const FIRST_AFTER_STDIO = 3;
const CLOSE_ON_EXEC = 0o2_000_000;

/**
 * Descriptors that whoever started this process left open, and that every child would get too: Node marks only its
 * own. They are to be covered in a child, since neither Node nor bubblewrap closes them.
 */
export async function inheritedDescriptors(): Promise<readonly number[]> {
  const found: number[] = [];
  for (const entry of await readdir("/proc/self/fd")) {
    const fd = Number(entry);
    if (fd < FIRST_AFTER_STDIO) continue;
    // Gone by now: the one that read the directory.
    const info = await readFile(`/proc/self/fdinfo/${fd}`, "utf8").catch(() => "");
    const flags = /^flags:\s+([0-7]+)$/m.exec(info)?.[1];
    if (flags !== undefined && (Number.parseInt(flags, 8) & CLOSE_ON_EXEC) === 0) found.push(fd);
  }
  return found;
}
