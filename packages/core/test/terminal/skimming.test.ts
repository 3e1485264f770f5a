import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createResponseReader, type ResponseReader } from "@airlock/core/terminal";
import { ADAPTERS, type Adapter } from "@airlock/core/wire";
import { recordings } from "./corpus.ts";
import { LIMITS } from "./streams.ts";

/** The family's adapter, which counts what is skimmed; or which reads every message in full. */
function counting(adapter: Adapter, counted: { messages: number }): Adapter {
  return {
    ...adapter,
    createDecoder() {
      const decoder = adapter.createDecoder();
      return {
        ...decoder,
        get unknownEvents() {
          return decoder.unknownEvents;
        },
        skim(blocks) {
          const skimmed = decoder.skim?.(blocks) ?? null;
          counted.messages += skimmed?.messages ?? 0;
          return skimmed;
        },
      };
    },
  };
}

function readingInFull(adapter: Adapter): Adapter {
  return {
    ...adapter,
    createDecoder() {
      const decoder = adapter.createDecoder();
      return {
        decode: (message) => decoder.decode(message),
        end: () => decoder.end(),
        get unknownEvents() {
          return decoder.unknownEvents;
        },
      };
    },
  };
}

function outcomeOf(reader: ResponseReader, pieces: readonly Uint8Array[]): object {
  const open = pieces.map((piece) => reader.push(piece));
  return { open, reading: reader.end("clean"), last: reader.lastEvents() };
}

function expectSame(adapter: Adapter, pieces: readonly Uint8Array[]): { readonly messages: number } {
  const skimmed = { messages: 0 };
  const limits = { ...LIMITS, maxMessageBytes: 4_000, maxStreamBytes: 2 ** 20 };
  expect(outcomeOf(createResponseReader(counting(adapter, skimmed), limits), pieces)).toEqual(
    outcomeOf(createResponseReader(readingInFull(adapter), limits), pieces),
  );
  return skimmed;
}

function split(bytes: Uint8Array, cuts: readonly number[]): readonly Uint8Array[] {
  const edges = [0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].toSorted((a, b) => a - b);
  return edges.slice(1).map((edge, at) => bytes.subarray(edges[at] ?? 0, edge));
}

const TEXT = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.constantFrom("", '"', "\\", '","', '"}', "ü", "€😀", '\\"', "delta", "\n\n", "data: {"),
);

/** JSON text of a string, as a provider may also write it. */
const SOURCE = fc.oneof(
  { weight: 8, arbitrary: TEXT.map((text) => JSON.stringify(text)) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '"\\u00e4"',
      '"\\ud83d"',
      '"\\ude00"',
      '"\\u12"',
      '"34"',
      '"\\',
      ',"',
      '"\\x"',
      '"\u0001"',
      "1",
      "null",
      '"a","delta":"b"',
      '"a","error":{"code":"x"}',
      '"\\/"',
      '" "\n',
    ),
  },
);

/** What can stand between two frames. */
const BETWEEN = fc.constantFrom(
  "\n",
  ": ping\n\n",
  'data: {"type":"ping"}\n\n',
  '{"error":"x"}\n',
  "{\n\n",
  'event: error\ndata: {"error":{"message":"x"}}\n\n',
  "id: 1\n",
  "data: [DONE]\n\n",
  "data: 1\n",
);

function stream(frame: fc.Arbitrary<string>, head: string, tail: string): fc.Arbitrary<Uint8Array> {
  const parts = fc.array(fc.oneof({ weight: 20, arbitrary: frame }, { weight: 1, arbitrary: BETWEEN }), {
    minLength: 1,
    maxLength: 30,
  });
  const damage = fc.option(fc.tuple(fc.nat(), fc.constantFrom('"', "\\", "\n", "\r", "\u0000", "\xff")), {
    freq: 3,
  });
  return fc.tuple(parts, fc.boolean(), damage).map(([parts, isClosed, damage]) => {
    const bytes = Buffer.from(`${head}${parts.join("")}${isClosed ? tail : ""}`);
    if (damage !== null) bytes.write(damage[1], damage[0] % bytes.length, "latin1");
    return bytes;
  });
}

function event(type: string, data: string): string {
  return `event: ${type}\ndata: ${data}\n\n`;
}

/** A few places and forms, so that frames of one often follow each other and sometimes don't. */
const PLACE = fc.oneof({ weight: 15, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.constant(1) });
const COUNTER = fc.oneof(
  { weight: 30, arbitrary: fc.nat(2).map(String) },
  { weight: 1, arbitrary: fc.constantFrom("-1", "1e1", "01", "9007199254740993", '"1"', "1.5", "null") },
);
const SHAPE = fc.record({ isText: fc.boolean(), isCounted: fc.boolean(), isPadded: fc.boolean() });

type Shape = typeof SHAPE extends fc.Arbitrary<infer Value> ? Value : never;

/** Most frames of a stream have its usual shape. */
function responsesFrame(usual: Shape): fc.Arbitrary<string> {
  const shape = fc.oneof({ weight: 15, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: SHAPE });
  return fc.tuple(PLACE, shape, SOURCE, COUNTER, SOURCE).map(([slot, shape, delta, counter, padding]) => {
    const type = shape.isText ? "response.output_text.delta" : "response.function_call_arguments.delta";
    const count = shape.isCounted ? `,"sequence_number":${counter}` : "";
    const pad = shape.isPadded ? `,"obfuscation":${padding}` : "";
    return event(
      type,
      `{"type":"${type}","output_index":${slot},"item_id":"fä","delta":${delta}${pad}${count}}`,
    );
  });
}

const RESPONSES_HEAD =
  event("response.created", '{"type":"response.created","response":{"id":"r"}}') +
  event(
    "response.output_item.added",
    '{"type":"response.output_item.added","output_index":0,"item":{"type":"function_call","call_id":"c","name":"n"}}',
  );
const RESPONSES_TAIL = event(
  "response.completed",
  '{"type":"response.completed","response":{"id":"r","status":"completed"}}',
);

const responsesStream = SHAPE.chain((usual) => stream(responsesFrame(usual), RESPONSES_HEAD, RESPONSES_TAIL));

const KINDS = [
  ["input_json_delta", "partial_json"],
  ["text_delta", "text"],
  ["signature_delta", "signature"],
  ["thinking_delta", "thinking"],
] as const;
const BLOCK_TYPES = ["tool_use", "text", "thinking", "future"] as const;

type Kind = (typeof KINDS)[number];

function anthropicDelta(usual: Kind): fc.Arbitrary<string> {
  const kind = fc.oneof(
    { weight: 15, arbitrary: fc.constant(usual) },
    { weight: 1, arbitrary: fc.constantFrom(...KINDS) },
  );
  return fc
    .tuple(PLACE, kind, SOURCE)
    .map(([index, [type, field], source]) =>
      event(
        "content_block_delta",
        `{"type":"content_block_delta","index":${index},"delta":{"type":"${type}","${field}":${source}}}`,
      ),
    );
}

/** What ends a block or the message, after which pieces may still come. */
const ANTHROPIC_ENDINGS = fc.constantFrom(
  event("content_block_stop", '{"type":"content_block_stop","index":0}'),
  event("message_delta", '{"type":"message_delta","delta":{"stop_reason":"tool_use"}}'),
);

function anthropicHead(type: string): string {
  return (
    event("message_start", '{"type":"message_start","message":{"id":"m"}}') +
    event(
      "content_block_start",
      `{"type":"content_block_start","index":0,"content_block":{"type":"${type}","id":"t","name":"n","input":{}}}`,
    )
  );
}
function anthropicTail(type: string): string {
  const reason = type === "tool_use" ? "tool_use" : "end_turn";
  return (
    event("content_block_stop", '{"type":"content_block_stop","index":0}') +
    event("message_delta", `{"type":"message_delta","delta":{"stop_reason":"${reason}"}}`) +
    event("message_stop", '{"type":"message_stop"}')
  );
}

const anthropicStream = fc
  .tuple(fc.constantFrom(...BLOCK_TYPES), fc.constantFrom(...KINDS))
  .chain(([type, kind]) => {
    const frame = fc.oneof(
      { weight: 30, arbitrary: anthropicDelta(kind) },
      { weight: 1, arbitrary: ANTHROPIC_ENDINGS },
    );
    return stream(frame, anthropicHead(type), anthropicTail(type));
  });

test.each([
  ["responses", ADAPTERS.responses, responsesStream],
  ["anthropic", ADAPTERS.anthropic, anthropicStream],
] as const)(
  "%s streams of any kind read the same whether or not frames are skimmed",
  (_name, adapter, bytes) => {
    let skimmed = 0;
    fc.assert(
      fc.property(bytes, fc.array(fc.nat(), { maxLength: 4 }), (bytes, cuts) => {
        skimmed += expectSame(adapter, split(bytes, cuts)).messages;
      }),
      { numRuns: 1_200 },
    );
    // Otherwise nothing was compared.
    expect(skimmed).toBeGreaterThan(1_000);
  },
);

test.each(
  (["responses", "anthropic"] as const).flatMap((family) =>
    recordings(family).flatMap(({ name, streams }) =>
      streams.map((bytes, at) => [`${name}, response ${at + 1}`, family, bytes] as const),
    ),
  ),
)("%s reads the same whether or not frames are skimmed", (_name, family, bytes) => {
  expectSame(ADAPTERS[family], [bytes]);
});
