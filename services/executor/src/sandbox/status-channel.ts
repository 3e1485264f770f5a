import { z } from "zod";

/** What bubblewrap reports on its status descriptor: one JSON object a line. */
export interface SandboxStatus {
  /** The first process inside, by its number outside. Absent until the namespaces exist. */
  readonly childPid: number | null;
  /** Absent when the program never started, whatever bubblewrap's own exit code says. */
  readonly exitCode: number | null;
}

const statusLine = z.object({
  "child-pid": z.number().int().positive().optional(),
  "exit-code": z.number().int().min(0).max(255).optional(),
});

const MAX_STATUS_CHARS = 8192;

/** Lines that are not bubblewrap's are ignored: they can't turn a failure into a result. */
export function createStatusReader(): { push(chunk: string): void; status(): SandboxStatus } {
  let text = "";
  return {
    push(chunk) {
      text = (text + chunk).slice(0, MAX_STATUS_CHARS);
    },
    status() {
      let status: SandboxStatus = { childPid: null, exitCode: null };
      for (const line of text.split("\n").slice(0, -1)) {
        const parsed = statusLine.safeParse(parseLine(line));
        if (!parsed.success) continue;
        status = {
          childPid: parsed.data["child-pid"] ?? status.childPid,
          exitCode: parsed.data["exit-code"] ?? status.exitCode,
        };
      }
      return status;
    },
  };
}

function parseLine(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    // Not bubblewrap's: the schema refuses null.
    return null;
  }
}
