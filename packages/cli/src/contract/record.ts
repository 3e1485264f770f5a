// The run of a played scenario in, its responses as redacted fixtures in a folder out, named as the replay gateway reads
// them; left out is what the streamer did not keep: error statuses, more than 1 MiB, and what is no event stream.
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { AirlockError } from "@airlock/core/fault";
import { openRecording, readAttempt } from "@airlock/core/run";
import type { Session } from "../session/index.ts";
import type { ScenarioPlayed } from "./play-scenario.ts";
import { redactStream } from "./redact-stream.ts";
import { scenarioTools } from "./scenario-spec.ts";

/** The names of the files that were written. */
export async function recordScenario(
  session: Session,
  { scenario, document }: Pick<ScenarioPlayed, "scenario" | "document">,
  folder: string,
): Promise<readonly string[]> {
  const written: string[] = [];
  for (const { number: turn, attempts } of document.turns) {
    for (const attempt of attemptsToKeep(attempts.length)) {
      const parts = { run: document.id, turn, attempt };
      const hash = await readAttempt(session.redis, parts);
      const bytes = hash === null ? null : openRecording(session.keyring, parts, hash);
      const text = bytes === null ? null : redactStream(bytes, scenarioTools(scenario));
      if (text === null) continue;
      const file = `${scenario}.${turn}${attempt === 1 ? "" : ".retry"}.sse`;
      writeRecording(folder, file, text);
      written.push(file);
    }
  }
  return written;
}

/** The gateway plays the first attempt, and one file for all later ones: the last. */
function attemptsToKeep(count: number): readonly number[] {
  return count > 1 ? [1, count] : [1];
}

function writeRecording(folder: string, file: string, text: string): void {
  try {
    mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(folder, file), text);
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? String(cause.code) : "unknown error";
    throw new AirlockError("USAGE", `--record: ${path.join(folder, file)} can't be written (${code})`, {
      cause,
    });
  }
}
