import type { Adapter } from "../adapter.ts";
import { readBuffered } from "./buffered.ts";
import { closesStream, createDecoder } from "./decode.ts";
import { encode, path, SUPPORTS } from "./encode.ts";
import { readItem } from "./parts.ts";
import { normalize } from "./stop-reasons.ts";

/** Gemini, streamed and buffered. */
export const geminiAdapter: Adapter = {
  family: "gemini",
  version: "gemini@2",
  supports: SUPPORTS,
  closingMarker: "none",
  headers: {},
  path,
  encode,
  createDecoder,
  readItem,
  readBuffered,
  normalize,
  closesStream,
};
