import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { FAMILIES, type Family } from "@airlock/core/wire";

const REPOSITORY = fileURLToPath(new URL("../../", import.meta.url));

export interface Recording {
  readonly family: Family;
  readonly file: string;
  readonly buffered: boolean;
  readonly bytes: Uint8Array;
}

/** The conformance suite's bytes, the demo's, and the recorded corpus where it is there. */
export function recordings(shared: string | undefined): readonly Recording[] {
  const corpus = join(shared ?? join(REPOSITORY, "../shared"), "corpus");
  return [
    ...FAMILIES.flatMap((family) => [
      ...readFolder(family, join(REPOSITORY, "fixtures/conformance", family)),
      ...readFolder(family, join(corpus, family)),
    ]),
    ...readFolder("responses", join(REPOSITORY, "fixtures/demo")),
  ];
}

function readFolder(family: Family, folder: string): readonly Recording[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((file) => file.endsWith(".sse") || file.endsWith(".buffered.json"))
    .toSorted()
    .map((file) => ({
      family,
      file,
      buffered: file.endsWith(".json"),
      bytes: readFileSync(join(folder, file)),
    }));
}
