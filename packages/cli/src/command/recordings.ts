// A file or a folder in, the recorded bytes in it out; refuses what can't be read, and a folder without recordings.
import { readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { AirlockError } from "@airlock/core/fault";

export interface Recording {
  /** its name in the folder */
  readonly file: string;
  readonly bytes: Uint8Array;
}

export type Recordings =
  | { readonly kind: "file"; readonly recording: Recording }
  | { readonly kind: "folder"; readonly recordings: readonly Recording[] };

export function readRecordings(place: string, ending: ".sse" | ".json"): Recordings {
  return guarded(place, () => {
    if (!statSync(place).isDirectory()) return { kind: "file", recording: readRecording(place) };
    const names = readdirSync(place).filter((name) => isRecording(name, ending));
    if (names.length === 0) throw new AirlockError("USAGE", `${place} holds no recording (*${ending})`);
    return {
      kind: "folder",
      recordings: names.toSorted().map((name) => readRecording(path.join(place, name))),
    };
  });
}

export function readText(place: string): string {
  return guarded(place, () => readFileSync(place, "utf8"));
}

function isRecording(name: string, ending: string): boolean {
  return name.endsWith(ending) && !name.endsWith(".expected.json");
}

function readRecording(place: string): Recording {
  return { file: path.basename(place), bytes: readFileSync(place) };
}

function guarded<Result>(place: string, read: () => Result): Result {
  try {
    return read();
  } catch (cause) {
    if (cause instanceof AirlockError) throw cause;
    const code = cause instanceof Error && "code" in cause ? String(cause.code) : "unknown error";
    throw new AirlockError("USAGE", `${place} can't be read (${code})`, { cause });
  }
}
