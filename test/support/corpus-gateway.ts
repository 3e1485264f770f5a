import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startGateway, type Gateway } from "@airlock/replay";
import { FAMILIES, type Family } from "@airlock/core/wire";
import { recordings } from "../../packages/core/test/terminal/corpus.ts";

/** One response of a recording: some hold several. */
export interface RecordedResponse {
  readonly family: Family;
  readonly name: string;
  readonly response: number;
}

export interface CorpusGateway {
  readonly url: string;
  /** The model that plays a recorded response. */
  model(response: RecordedResponse): string;
  chunkBytes(response: RecordedResponse): number;
  close(): Promise<void>;
}

const MAX_WRITES = 2_000;

/** The replay gateway over all recordings, each of which comes in chunks of a size of its own. */
export async function startCorpusGateway(families: readonly Family[] = FAMILIES): Promise<CorpusGateway> {
  const directory = await mkdtemp(join(tmpdir(), "airlock-corpus-"));
  const sizes = new Map<string, number>();
  for (const family of families) {
    await mkdir(join(directory, family));
    for (const recording of recordings(family)) {
      for (const [response, stream] of recording.streams.entries()) {
        const name = caseOf({ family, name: recording.name, response });
        const smallest = Math.ceil(stream.length / MAX_WRITES);
        const chunkBytes = smallest + Math.floor(Math.random() * Math.min(stream.length, 2_000));
        sizes.set(name, chunkBytes);
        await writeFile(join(directory, `${name}.1.sse`), stream);
        await writeFile(join(directory, `${name}.1.json`), JSON.stringify({ chunkBytes }));
      }
    }
  }
  const gateway: Gateway = await startGateway({ directory });
  return {
    url: gateway.url,
    model: (response) => `replay/${caseOf(response)}`,
    chunkBytes: (response) => sizes.get(caseOf(response)) ?? 0,
    async close() {
      await gateway.close();
      await rm(directory, { recursive: true });
    },
  };
}

function caseOf({ family, name, response }: RecordedResponse): string {
  return `${family}/${name}-${response}`;
}
