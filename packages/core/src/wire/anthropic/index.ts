import type { Adapter } from "../adapter.ts";
import { readItem } from "./blocks.ts";
import { readBuffered } from "./buffered.ts";
import { closesStream, createDecoder } from "./decode.ts";
import { encode, SUPPORTS } from "./encode.ts";
import { normalize } from "./stop-reasons.ts";

/** Anthropic Messages, streamed and buffered. */
export const anthropicAdapter: Adapter = {
  family: "anthropic",
  version: "anthropic@2",
  supports: SUPPORTS,
  closingMarker: "by_route",
  headers: { "anthropic-version": "2023-06-01" },
  path: () => "/v1/messages",
  encode,
  createDecoder,
  readItem,
  readBuffered,
  normalize,
  closesStream,
};
