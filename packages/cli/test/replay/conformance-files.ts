import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { Family } from "@airlock/core/wire";
import type { ReplayOptions } from "../../src/replay/index.ts";

const FOLDER = fileURLToPath(new URL("../../../../fixtures/conformance/", import.meta.url));

export interface Expected {
  readonly outcome: string;
  readonly items: readonly { readonly kind: string; readonly state: string }[];
  readonly executable: readonly number[];
  readonly verdicts?: readonly string[];
}

interface Options extends Partial<Pick<ReplayOptions, "closingMarker" | "end" | "limits">> {
  readonly maxOutputTokens?: number;
  readonly tools?: readonly string[];
}

export interface ConformanceFile {
  readonly family: Family;
  readonly name: string;
  readonly title: string;
  readonly covers: readonly string[];
  readonly bytes: Uint8Array;
  readonly options: ReplayOptions & { readonly tools: ReadonlySet<string> | null };
  readonly expected: Expected;
}

/** Every case of a family: a stream or a whole body, beside what must be concluded from it. */
export function conformanceFiles(family: Family): readonly ConformanceFile[] {
  const folder = path.join(FOLDER, family);
  return readdirSync(folder)
    .filter((file) => file.endsWith(".expected.json"))
    .map((file) => {
      const name = file.slice(0, -".expected.json".length);
      const buffered = name.endsWith(".buffered");
      const told = JSON.parse(readFileSync(path.join(folder, file), "utf8")) as {
        readonly title: string;
        readonly covers?: readonly string[];
        readonly options?: Options;
        readonly expected: Expected;
      };
      return {
        family,
        name,
        title: told.title,
        covers: told.covers ?? [],
        bytes: readFileSync(path.join(folder, `${name}.${buffered ? "json" : "sse"}`)),
        options: replayOptions(family, buffered, told.options ?? {}),
        expected: told.expected,
      };
    });
}

function replayOptions(
  family: Family,
  buffered: boolean,
  { tools, limits, ...options }: Options,
): ConformanceFile["options"] {
  return {
    family,
    buffered,
    closingMarker: options.closingMarker ?? "optional",
    maxOutputTokens: options.maxOutputTokens ?? null,
    chunkBytes: null,
    end: options.end ?? "clean",
    ...(limits === undefined ? {} : { limits }),
    tools: tools === undefined ? null : new Set(tools),
  };
}
