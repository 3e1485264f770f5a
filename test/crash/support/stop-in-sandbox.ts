import { access, chmod, mkdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** A bubblewrap that can stand still, right before its program starts or right after it ended. */
export interface HaltingBwrap {
  /** its path, for AIRLOCK_BWRAP */
  readonly program: string;
  /** The next start stands still; every other goes to the real one. */
  arm(moment: "before" | "after"): Promise<void>;
  /** Resolves once it stands still. */
  halted(): Promise<void>;
}

const PATIENCE_MS = 30_000;

export async function writeHaltingBwrap(directory: string): Promise<HaltingBwrap> {
  await mkdir(directory, { recursive: true });
  await chmod(directory, 0o777); // sandboxes run under another user
  const place = (name: string): string => path.join(directory, name);
  const halt = `open my $f, ">", "${place("halted")}"; close $f; sleep 60; exit 1`;
  // perl, since a shell would add variables of its own to what the sandbox is shown
  const text = [
    "#!/usr/bin/perl",
    `if (unlink "${place("before")}") { ${halt} }`,
    `exec "/usr/bin/bwrap", @ARGV unless unlink "${place("after")}";`,
    'system "/usr/bin/bwrap", @ARGV;',
    halt,
  ];
  await writeFile(place("bwrap"), `${text.join("\n")}\n`, { mode: 0o755 });
  return {
    program: place("bwrap"),
    arm: (moment) => writeFile(place(moment), ""),
    async halted() {
      const deadline = Date.now() + PATIENCE_MS;
      while (Date.now() < deadline) {
        const stands = await access(place("halted")).then(
          () => true,
          () => false,
        );
        if (stands) return rm(place("halted"));
        await sleep(20);
      }
      throw new Error("no sandbox came to the place where it was to stand still");
    },
  };
}
