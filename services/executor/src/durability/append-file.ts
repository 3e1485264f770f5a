import { constants } from "node:fs";
import { open, type FileHandle } from "node:fs/promises";
import path from "node:path";

/** A file that only grows. Each append is on the disk before it resolves; those that come together share one fsync. */
export interface AppendFile {
  readonly name: string;
  size(): number;
  append(text: string): Promise<void>;
  close(): Promise<void>;
}

interface Waiting {
  readonly bytes: Buffer;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** Makes the file, which must not exist, and the entry of its folder durable. After one failed append all others fail. */
export async function createAppendFile(file: string): Promise<AppendFile> {
  const handle = await open(file, constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY, 0o600);
  try {
    await syncFolder(path.dirname(file));
  } catch (error) {
    await handle.close();
    throw error;
  }
  return appendTo(handle, path.basename(file));
}

/** A name is durable once its folder is. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function appendTo(handle: FileHandle, name: string): AppendFile {
  let waiting: Waiting[] = [];
  let writing: Promise<void> | null = null;
  let size = 0;
  let failed: { readonly cause: unknown } | null = null;

  async function write(batch: readonly Waiting[]): Promise<void> {
    try {
      if (failed !== null) throw failed.cause;
      const bytes = Buffer.concat(batch.map((one) => one.bytes));
      await writeAll(handle, bytes, size);
      await handle.datasync();
      size += bytes.length;
      for (const one of batch) one.resolve();
    } catch (cause) {
      // after a failed fsync nobody knows what is on the disk; what was not acknowledged is taken away again
      if (failed === null) await handle.truncate(size).catch(() => undefined);
      failed ??= { cause };
      for (const one of batch) one.reject(cause);
    }
  }
  async function drain(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      await write(batch);
    }
    writing = null;
  }
  return {
    name,
    size: () => size,
    append(text) {
      return new Promise((resolve, reject) => {
        waiting.push({ bytes: Buffer.from(text), resolve, reject });
        writing ??= drain();
      });
    },
    async close() {
      await writing;
      await handle.close();
    },
  };
}

async function writeAll(handle: FileHandle, bytes: Buffer, position: number): Promise<void> {
  let done = 0;
  while (done < bytes.length) {
    const { bytesWritten } = await handle.write(bytes, done, bytes.length - done, position + done);
    done += bytesWritten;
  }
}
