import type { Adapter } from "../adapter.ts";
import { readBuffered } from "./buffered.ts";
import { closesStream, createDecoder } from "./decode.ts";
import { encode, SUPPORTS } from "./encode.ts";
import { readItem } from "./items.ts";
import { normalize } from "./stop-reasons.ts";

/** OpenAI Responses. */
export const responsesAdapter: Adapter = {
  family: "responses",
  version: "responses@2",
  supports: SUPPORTS,
  closingMarker: "always",
  headers: {},
  path: () => "/v1/responses",
  encode,
  createDecoder,
  readItem,
  readBuffered,
  normalize,
  closesStream,
};
