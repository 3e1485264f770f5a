import type { OutgoingHttpHeaders } from "node:http";
import { replacesStream, sentBytes, type Fixture } from "../fixture/index.ts";
import { errorBody } from "../refusal.ts";

export interface Payload {
  readonly status: number;
  readonly headers: OutgoingHttpHeaders;
  /** Only what is to be sent: a cut is already made. */
  readonly bytes: Uint8Array;
}

const encoder = new TextEncoder();

/** What a fixture answers: its stream, or the status and body that its misbehaviour puts in its place. */
export function payloadOf(fixture: Fixture, requestId: string): Payload {
  const { misbehaviour, stream } = fixture;
  const replaced = replacesStream(misbehaviour) ? bodyOf(fixture, requestId) : null;
  const whole = replaced === null ? stream : encoder.encode(replaced.text);
  const type = misbehaviour.contentType ?? replaced?.type ?? "text/event-stream; charset=utf-8";
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

function bodyOf(
  { misbehaviour }: Fixture,
  requestId: string,
): { readonly text: string; readonly type: string } {
  const { body, httpStatus = 200 } = misbehaviour;
  if (typeof body === "string") return { text: body, type: "text/plain; charset=utf-8" };
  const type = "application/json";
  if (body !== undefined) return { text: JSON.stringify(body), type };
  if (httpStatus < 400) return { text: "", type };
  const fields = { message: `replayed status ${httpStatus}`, type: "comet_api_error", param: "" };
  return { text: errorBody({ ...fields, code: codeOf(httpStatus) }, requestId), type };
}

/** CometAPI's code is often empty; `invalid_request` beside any status means that a retry can't help. */
function codeOf(status: number): string {
  return status === 400 ? "invalid_request" : "";
}
