/** In comes the path of a request, out comes all that its wire family does in its own way. */
import type { IncomingHttpHeaders } from "node:http";
import {
  anthropicBodyOutput,
  anthropicStreamOutput,
  chatBodyOutput,
  chatStreamOutput,
  geminiBodyOutput,
  geminiStreamOutput,
  isChatReplay,
  responsesBodyOutput,
  responsesStreamOutput,
  type RecordedItem,
} from "../recorded/index.ts";
import { accept, type Checked } from "../refusal.ts";
import {
  checkVersion,
  parseAnthropicRequest,
  parseChatRequest,
  parseGeminiRequest,
  parseResponsesRequest,
  type PlayableRequest,
} from "../request/index.ts";
import { anthropicError, geminiError, openaiError, type ErrorBody } from "./errors.ts";
import { readGeminiPath } from "./gemini-path.ts";

export interface GatewayFamily {
  readonly path: RegExp;
  /** The header that may carry the key in place of the authorization. */
  readonly keyHeader: string | null;
  readonly errorBody: ErrorBody;
  checkHeaders(headers: IncomingHttpHeaders): Checked<null>;
  /** `url` is path and query as they were sent. */
  parse(body: string, url: string): Checked<PlayableRequest>;
  /** What a client has to replay after a recorded answer; null where it never became part of a conversation. */
  readonly output: {
    stream(bytes: Uint8Array): readonly RecordedItem[] | null;
    body(body: RecordedItem): readonly RecordedItem[] | null;
  };
  /** Absent: a replayed item is deeply equal to the recorded one. */
  readonly isReplay?: (recorded: RecordedItem, replayed: unknown) => boolean;
}

const none = (): Checked<null> => accept(null);

const FAMILIES = {
  responses: {
    path: /^\/v1\/responses$/u,
    keyHeader: null,
    errorBody: openaiError,
    checkHeaders: none,
    parse: parseResponsesRequest,
    output: { stream: responsesStreamOutput, body: responsesBodyOutput },
  },
  chat: {
    path: /^\/v1\/chat\/completions$/u,
    keyHeader: null,
    errorBody: openaiError,
    checkHeaders: none,
    parse: parseChatRequest,
    output: { stream: chatStreamOutput, body: chatBodyOutput },
    isReplay: isChatReplay,
  },
  anthropic: {
    path: /^\/v1\/messages$/u,
    keyHeader: "x-api-key",
    errorBody: anthropicError,
    checkHeaders: checkVersion,
    parse: parseAnthropicRequest,
    output: { stream: anthropicStreamOutput, body: anthropicBodyOutput },
  },
  gemini: {
    // The model is everything between: with its slash as it is, or escaped.
    path: /^\/v1beta\/models\/.+:(?:generateContent|streamGenerateContent)$/u,
    keyHeader: "x-goog-api-key",
    errorBody: geminiError,
    checkHeaders: none,
    parse: (body, url) => {
      const target = readGeminiPath(url);
      return target.ok ? parseGeminiRequest(body, target.value) : target;
    },
    output: { stream: geminiStreamOutput, body: geminiBodyOutput },
  },
} as const satisfies Record<string, GatewayFamily>;

export function familyOf(path: string): GatewayFamily | null {
  return Object.values(FAMILIES).find((family) => family.path.test(path)) ?? null;
}
