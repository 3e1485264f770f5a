import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startGateway, type Gateway } from "@airlock/replay";
import type { JsonObject } from "@airlock/core/json";
import type { ResponseReading } from "@airlock/core/terminal";
import { FAMILIES, type Family } from "@airlock/core/wire";
import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { recordings } from "../../packages/core/test/terminal/corpus.ts";
import { startCorpusGateway, type CorpusGateway } from "../support/corpus-gateway.ts";
import { officialClients, type ClientCall, type OfficialClient } from "../support/official-clients.ts";
import { createTestStreamer, type TestStreamer } from "../support/test-streamer.ts";
import { WELL_FORMED } from "../support/well-formed.ts";

/** Recordings that an SDK does not read, and why that is no contradiction. */
const UNREAD: ReadonlyMap<string, string> = new Map([
  ["anthropic-duplicate-message-start", "the SDK refuses an opening event that comes twice"],
  ["google-stream-tool-call-arguments", "the SDK hands on partial arguments as they come"],
  ["google-vertex-stream-tool-call-arguments-nested.1", "the SDK hands on partial arguments as they come"],
  ["mistral-incremental-tool-call", "the SDK refuses a stream that never says the role"],
  ["openai-compatible-anthropic-fallback-tool-call", "the SDK stumbles over an index that starts at 1"],
  ["openai-shell-tool.1", "the SDK refuses event types that it does not know"],
]);

/** Our reader's calls of the two kinds that an SDK shows as calls. */
function callsOf(reading: ResponseReading): readonly ClientCall[] {
  const released = reading.outcome.action === "tool" ? reading.items : [];
  return released.flatMap(({ kind, state, callId, name, argumentsKind, content }) => {
    if (kind !== "tool_call" || state !== "ITEM_TERMINAL") return [];
    const value: unknown =
      argumentsKind === "text" ? content : content.trim() === "" ? {} : JSON.parse(content);
    return [{ callId, name: name ?? "", arguments: value }];
  });
}

describe("a recorded stream (needs AIRLOCK_SHARED)", () => {
  let gateway: CorpusGateway;
  let streamer: TestStreamer;
  let official: Readonly<Record<Family, OfficialClient>>;

  beforeAll(async () => {
    gateway = await startCorpusGateway();
    streamer = createTestStreamer(gateway.url);
    official = officialClients(gateway.url);
  });
  afterAll(async () => {
    await streamer.close();
    await gateway.close();
  });

  const responses = FAMILIES.flatMap((family) =>
    recordings(family)
      // An SDK throws where a response failed, and that is all it says.
      .filter(({ name, expected }) => !UNREAD.has(name) && expected.outcome !== "indeterminate")
      .flatMap(({ name, streams }) => streams.map((_, response) => ({ family, name, response }))),
  );

  test.each(responses)(
    "$name $response of $family has the same calls for its official client",
    async (response) => {
      const model = gateway.model(response);
      const ours = callsOf(await streamer.read(response.family, model));
      expect(await official[response.family](model)).toEqual(ours);
    },
  );
});

describe("a well-formed stream", () => {
  let directory: string;
  let gateway: Gateway;
  let streamer: TestStreamer;
  let official: Readonly<Record<Family, OfficialClient>>;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "airlock-differential-"));
    gateway = await startGateway({ directory });
    streamer = createTestStreamer(gateway.url);
    official = officialClients(gateway.url);
  });
  afterAll(async () => {
    await streamer.close();
    await gateway.close();
    await rm(directory, { recursive: true });
  });

  const key = fc.string({ minLength: 1 }).filter((name) => name !== "__proto__");
  const calls = fc.array(
    fc.record({
      name: fc.constantFrom("read_file", "write_file", "apply_patch"),
      arguments: fc.dictionary(key, fc.jsonValue({ maxDepth: 2 }), { maxKeys: 4 }),
      pieceLength: fc.integer({ min: 1, max: 12 }),
      chunkBytes: fc.integer({ min: 1, max: 400 }),
    }),
    { maxLength: 4 },
  );

  test.each(FAMILIES)("of %s has the same calls for its official client and for us", async (family) => {
    let number = 0;
    await fc.assert(
      fc.asyncProperty(calls, async (drawn) => {
        number += 1;
        const name = `${family}-${number}`;
        const given = drawn.map((call, at) => {
          // What is no JSON of its own, such as -0, is written before it is compared.
          const args = JSON.parse(JSON.stringify(call.arguments)) as JsonObject;
          return { ...call, arguments: args, id: `call_${at}` };
        });
        const chunkBytes = given[0]?.chunkBytes ?? 100;
        await writeFile(join(directory, `${name}.1.sse`), WELL_FORMED[family](given));
        await writeFile(join(directory, `${name}.1.json`), JSON.stringify({ chunkBytes }));
        const ours = callsOf(await streamer.read(family, `replay/${name}`));
        expect(ours.map((call) => [call.name, call.arguments])).toEqual(
          given.map((call) => [call.name, call.arguments]),
        );
        expect(await official[family](`replay/${name}`)).toEqual(ours);
      }),
      { numRuns: 40 },
    );
  });
});
