import { mkdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";

/** A bubblewrap that can kill the executor which starts it, right before the program starts or right after it ended. */
export interface FatalBwrap {
  /** its path, for AIRLOCK_BWRAP */
  readonly program: string;
  /** The next start kills its executor; everything else goes to the real one. */
  arm(moment: "before" | "after"): Promise<void>;
}

export async function writeFatalBwrap(directory: string): Promise<FatalBwrap> {
  await mkdir(directory, { recursive: true, mode: 0o755 });
  const program = path.join(directory, "bwrap");
  const armed = (moment: string): string => path.join(directory, moment);
  const text = [
    "#!/bin/sh",
    `if [ -e ${armed("before")} ]; then rm ${armed("before")}; kill -9 $PPID; exit 1; fi`,
    `if [ ! -e ${armed("after")} ]; then exec /usr/bin/bwrap "$@"; fi`,
    `rm ${armed("after")}`,
    '/usr/bin/bwrap "$@"',
    "kill -9 $PPID",
  ];
  await writeFile(program, `${text.join("\n")}\n`, { mode: 0o755 });
  return {
    program,
    async arm(moment) {
      await rm(armed(moment), { force: true });
      await writeFile(armed(moment), "");
    },
  };
}
