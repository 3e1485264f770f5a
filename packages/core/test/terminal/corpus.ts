import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { join } from "node:path";

export interface ExpectedCall {
  readonly callId: string | null;
  readonly name: string;
  readonly kind: "json" | "text";
  readonly arguments: unknown;
}

export interface Expected {
  readonly raw: string;
  readonly outcome: string;
  readonly responseId: string;
  readonly calls: readonly ExpectedCall[];
  readonly providerExecuted: number;
}

export interface Recording {
  readonly name: string;
  /** Some recordings hold a whole conversation: each response in it is a stream of its own. */
  readonly streams: readonly Uint8Array[];
  readonly expected: Expected;
}

const repository = fileURLToPath(new URL("../../../../", import.meta.url));
const CORPUS = join(process.env["AIRLOCK_SHARED"] ?? join(repository, "../shared"), "corpus");

/** The recordings of one family; empty where the folder is not there. */
export function recordings(family: string): readonly Recording[] {
  const folder = join(CORPUS, family);
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((file) => file.endsWith(".sse"))
    .map((file) => {
      const name = file.slice(0, -".sse".length);
      const expected: Expected = JSON.parse(readFileSync(join(folder, `${name}.expected.json`), "utf8"));
      return { name, expected, streams: splitResponses(readFileSync(join(folder, file), "utf8")) };
    });
}

function splitResponses(text: string): readonly Uint8Array[] {
  const encoder = new TextEncoder();
  return text.split(/(?=^event: response\.created$)/m).map((part) => encoder.encode(part));
}
