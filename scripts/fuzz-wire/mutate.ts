// Takes recorded bytes and other recordings of the same family, gives bytes that something happened to; what
// happens is decided by the random numbers alone.
import { ERROR_SHAPES } from "../conformance/transport/errors.ts";
import type { Random } from "../../test/support/random.ts";

interface Material {
  readonly random: Random;
  /** Another recording of the family. */
  readonly other: Uint8Array;
}

type Mutation = (bytes: Uint8Array, material: Material) => Uint8Array;

const encoder = new TextEncoder();
const decoder = new TextDecoder("latin1");

/** Frames that mean something in one family and nothing, or harm, in the others. */
const FRAMES = [
  ": ping\n\n",
  "\n\n",
  "data: [DONE]\n\n",
  "data: {}\n\n",
  'data: {"error":null}\n\n',
  'event: error\ndata: {"type":"error","error":{"type":"overloaded_error"}}\n\n',
  ...ERROR_SHAPES.map(({ frame }) => frame),
  'data: {"type":"response.completed","response":{"status":"completed"}}\n\n',
  'data: {"type":"response.incomplete","response":{"incomplete_details":{"reason":"max_output_tokens"}}}\n\n',
  'data: {"choices":[{"index":0,"delta":{},"finish_reason":"length"}]}\n\n',
  'data: {"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}\n\n',
  'data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"}"}}]}}]}\n\n',
  'data: {"type":"message_delta","delta":{"stop_reason":"tool_use"}}\n\n',
  'data: {"type":"message_delta","delta":{"stop_reason":"max_tokens"}}\n\n',
  'data: {"type":"content_block_stop","index":0}\n\n',
  'data: {"type":"message_stop"}\n\n',
  'data: {"candidates":[{"finishReason":"STOP"}]}\n\n',
  'data: {"candidates":[{"finishReason":"MAX_TOKENS"}]}\n\n',
  'data: {"candidates":[{"content":{"parts":[{"functionCall":{"name":"f","args":{}}}]}}]}\n\n',
].map((text) => encoder.encode(text));

const TOKENS = [
  "{",
  "}",
  "[",
  "]",
  '"',
  ",",
  ":",
  "\\",
  "\n",
  "\r",
  "\0",
  "null",
  "true",
  "0",
  "1",
  "-1",
  "1e999",
  "{}",
  '""',
]
  .concat([
    "call_1",
    "tool_calls",
    "stop",
    "completed",
    "index",
    "id",
    "__proto__",
    "\u00ff",
    "data: ",
    "event: ",
  ])
  .map((text) => encoder.encode(text));

const MUTATIONS: readonly Mutation[] = [
  // One byte becomes another, or one bit of it flips.
  (bytes, { random }) => replaceAt(bytes, random.below(bytes.length), Uint8Array.of(random.below(256)), 1),
  (bytes, { random }) => {
    const at = random.below(bytes.length);
    return replaceAt(bytes, at, Uint8Array.of((bytes[at] ?? 0) ^ (1 << random.below(8))), 1);
  },
  // The end is cut off, or a piece out of the middle.
  (bytes, { random }) => bytes.subarray(0, random.below(bytes.length)),
  (bytes, { random }) => replaceAt(bytes, random.below(bytes.length), new Uint8Array(), 1 + random.below(64)),
  // A piece comes twice, or is another recording's.
  (bytes, { random }) => {
    const from = random.below(bytes.length);
    return replaceAt(bytes, from, bytes.subarray(from, from + 1 + random.below(256)), 0);
  },
  (bytes, { random, other }) => {
    const from = random.below(other.length);
    const piece = other.subarray(from, from + random.below(512));
    return replaceAt(bytes, random.below(bytes.length), piece, random.below(32));
  },
  (bytes, { random }) => replaceAt(bytes, random.below(bytes.length), random.pick(TOKENS), random.below(8)),
  // Whole frames: two change places, one comes twice, is lost, or comes from elsewhere.
  (bytes, { random }) => {
    const frames = framesOf(bytes);
    const [left, right] = [random.below(frames.length), random.below(frames.length)];
    return join(frames.with(left, at(frames, right)).with(right, at(frames, left)));
  },
  (bytes, { random }) => {
    const frames = framesOf(bytes);
    const from = random.below(frames.length);
    return join(frames.toSpliced(random.below(frames.length), 0, at(frames, from)));
  },
  (bytes, { random }) => {
    const frames = framesOf(bytes);
    return join(frames.toSpliced(random.below(frames.length), 1));
  },
  (bytes, { random, other }) => {
    const frames = framesOf(bytes);
    return join(frames.toSpliced(random.below(frames.length + 1), 0, random.pick(framesOf(other))));
  },
  (bytes, { random }) => {
    const frames = framesOf(bytes);
    return join(frames.toSpliced(random.below(frames.length + 1), 0, random.pick(FRAMES)));
  },
];

export function mutate(bytes: Uint8Array, material: Material): Uint8Array {
  let mutated = bytes;
  for (let left = 1 + material.random.below(3); left > 0 && mutated.length > 0; left -= 1) {
    mutated = material.random.pick(MUTATIONS)(mutated, material);
  }
  return mutated;
}

function replaceAt(bytes: Uint8Array, from: number, piece: Uint8Array, dropped: number): Uint8Array {
  return Buffer.concat([bytes.subarray(0, from), piece, bytes.subarray(from + dropped)]);
}

/** Never empty. Bytes that are not text survive: each is one character on the way. */
function framesOf(bytes: Uint8Array): readonly Uint8Array[] {
  const frames = decoder.decode(bytes).split(/(?<=\r\n\r\n|\n\n)/);
  let from = 0;
  return frames.map((frame) => {
    const piece = bytes.subarray(from, from + frame.length);
    from += frame.length;
    return piece;
  });
}

function at(frames: readonly Uint8Array[], index: number): Uint8Array {
  return frames[index] ?? new Uint8Array();
}

function join(frames: readonly Uint8Array[]): Uint8Array {
  return Buffer.concat(frames);
}
