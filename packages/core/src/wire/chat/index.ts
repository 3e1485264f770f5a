import type { Adapter } from "../adapter.ts";
import { isDone } from "../frame.ts";
import { readBuffered } from "./buffered.ts";
import { createDecoder } from "./decode.ts";
import { encode, SUPPORTS } from "./encode.ts";
import { readItem } from "./message.ts";
import { normalize } from "./stop-reasons.ts";

/** OpenAI Chat Completions. */
export const chatAdapter: Adapter = {
  family: "chat",
  version: "chat@3",
  supports: SUPPORTS,
  closingMarker: "by_route",
  headers: {},
  path: () => "/v1/chat/completions",
  encode,
  createDecoder,
  readItem,
  readBuffered,
  normalize,
  closesStream: isDone,
};
