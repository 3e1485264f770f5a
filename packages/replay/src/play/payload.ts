import type { OutgoingHttpHeaders } from "node:http";
import { replacesStream, sentBytes, type Fixture, type Misbehaviour } from "../fixture/index.ts";
import type { ErrorBody } from "../family/index.ts";
import type { PlayableRequest } from "../request/index.ts";

export interface Payload {
  readonly status: number;
  readonly headers: OutgoingHttpHeaders;
  /** Only what is to be sent: a cut is already made. */
  readonly bytes: Uint8Array;
}

/** What an answer needs to know of the request. */
export interface Answering {
  readonly requestId: string;
  readonly mode: PlayableRequest["mode"];
  readonly errorBody: ErrorBody;
}

const TYPES = {
  stream: "text/event-stream; charset=utf-8",
  buffered: "application/json",
} as const satisfies Record<PlayableRequest["mode"], string>;

const encoder = new TextEncoder();

/** What a fixture answers: its stream or its body, or the status and body that its misbehaviour puts in its place. */
export function payloadOf(fixture: Fixture, answering: Answering): Payload {
  const { misbehaviour, stream, body } = fixture;
  const { requestId, mode } = answering;
  const recorded = (mode === "stream" ? stream : body) ?? new Uint8Array();
  const replaced = replacesStream(misbehaviour) ? replacement(misbehaviour, answering) : null;
  const whole = replaced === null ? recorded : encoder.encode(replaced.text);
  const type = misbehaviour.contentType ?? replaced?.type ?? TYPES[mode];
  const retryAfter =
    misbehaviour.retryAfter === undefined ? {} : { "retry-after": `${misbehaviour.retryAfter}` };
  return {
    status: misbehaviour.httpStatus ?? 200,
    headers: {
      "content-type": type,
      "cache-control": "no-store",
      "x-request-id": requestId,
      ...retryAfter,
      ...misbehaviour.headers,
    },
    bytes: whole.subarray(0, sentBytes(misbehaviour, whole.byteLength)),
  };
}

function replacement(
  { body, httpStatus = 200 }: Misbehaviour,
  { errorBody, requestId }: Answering,
): { readonly text: string; readonly type: string } {
  if (typeof body === "string") return { text: body, type: "text/plain; charset=utf-8" };
  const type = "application/json";
  if (body !== undefined) return { text: JSON.stringify(body), type };
  if (httpStatus < 400) return { text: "", type };
  const fields = { message: `replayed status ${httpStatus}`, type: "comet_api_error", param: "" };
  const code = codeOf(httpStatus);
  return { text: errorBody({ ...fields, status: httpStatus, code }, requestId), type };
}

/** CometAPI's code is often empty; `invalid_request` beside any status means that a retry can't help. */
function codeOf(status: number): string {
  return status === 400 ? "invalid_request" : "";
}
