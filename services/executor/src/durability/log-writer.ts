import { rm, stat } from "node:fs/promises";
import path from "node:path";
import { createAppendFile, type AppendFile } from "./append-file.ts";
import { KEPT_MS } from "./known-starts.ts";
import { encodeLine, type LogLine } from "./log-line.ts";
import { logFiles, ownerOf } from "./read-log.ts";

/** The files that a log's lines go to, one after the other. */
export interface LogWriter {
  /** Resolves with the file's name once the line is on the disk; throws what the disk said. */
  write(line: LogLine): Promise<string>;
  /** What the last write met; null where it went well. */
  trouble(): string | null;
  close(): Promise<void>;
}

export interface LogWriterDeps {
  readonly folder: string;
  readonly owner: string;
  /** files that must stay, however old */
  readonly needed: () => ReadonlySet<string>;
  /** old files of these owners are gone */
  readonly onDropped: (owners: readonly string[]) => void;
}

/** A file that grew to this is closed, and the next one begun. */
const FILE_BYTES = 16_777_216;

/** Throws where the first file can't be made. After a line that failed, the next one goes to another file. */
export async function openLogWriter(deps: LogWriterDeps): Promise<LogWriter> {
  const { folder } = deps;
  let file: AppendFile | null = await newFile(deps);
  let trouble: string | null = null;
  let opening: Promise<void> | null = null;

  async function openNext(): Promise<void> {
    const full = file;
    file = null;
    await full?.close();
    file = await newFile(deps);
    deps.onDropped(await dropOld(folder, deps.needed()));
  }
  return {
    async write(line) {
      let used: AppendFile | null = null;
      try {
        while (file === null || file.size() >= FILE_BYTES) {
          await (opening ??= openNext().finally(() => {
            opening = null;
          }));
        }
        used = file;
        await used.append(encodeLine(line));
        trouble = null;
        return used.name;
      } catch (error) {
        trouble = `the write-ahead log in ${folder} can't be written: ${codeOf(error)}`;
        if (file === used) file = null;
        throw error;
      }
    },
    trouble: () => trouble,
    close: async () => file?.close(),
  };
}

let made = 0;

async function newFile({ folder, owner }: Pick<LogWriterDeps, "folder" | "owner">): Promise<AppendFile> {
  made += 1;
  const file = await createAppendFile(path.join(folder, `${Date.now() * 1000 + (made % 1000)}-${owner}.log`));
  await file.append(encodeLine({ type: "opened", version: 1, owner }));
  return file;
}

/** Removes the files whose last line is older than any that Redis may still have to be told; gives whose they were. */
async function dropOld(folder: string, needed: ReadonlySet<string>): Promise<readonly string[]> {
  const dropped: string[] = [];
  for (const file of await logFiles(folder)) {
    const age = Date.now() - (await stat(file)).mtimeMs;
    if (age <= KEPT_MS || needed.has(path.basename(file))) continue;
    await rm(file);
    dropped.push(ownerOf(file));
  }
  return dropped;
}

function codeOf(error: unknown): string {
  const code: unknown = error instanceof Error && "code" in error ? error.code : null;
  return typeof code === "string" ? code : "an unknown error";
}
