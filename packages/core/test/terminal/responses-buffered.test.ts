import { describe, expect, test } from "vitest";
import { readWhole } from "./chat-streams.ts";
import { recordings } from "./corpus.ts";
import { CREATED, done, ended, executable, functionCall, message, read, summary } from "./streams.ts";

const CALL = functionCall({ arguments: '{"path":"a"}' });
const USAGE = { input_tokens: 5, output_tokens: 7 };

function response(fields: object = {}): object {
  return {
    id: "resp_1",
    object: "response",
    model: "m",
    status: "completed",
    error: null,
    output: [CALL],
    ...fields,
  };
}

describe("a whole Responses object", () => {
  test.each<[string, string, object]>([
    ["a call", CREATED + done(0, CALL) + ended("completed", { usage: USAGE }), response({ usage: USAGE })],
    [
      "a message",
      CREATED + done(0, message("hi")) + ended("completed"),
      response({ output: [message("hi")] }),
    ],
    [
      "a cut one",
      CREATED +
        done(0, message("hi", { status: "incomplete" })) +
        ended("incomplete", { incomplete_details: { reason: "max_output_tokens" } }),
      response({
        status: "incomplete",
        incomplete_details: { reason: "max_output_tokens" },
        output: [message("hi", { status: "incomplete" })],
      }),
    ],
    [
      "a filtered one",
      CREATED + ended("incomplete", { incomplete_details: { reason: "content_filter" } }),
      response({ status: "incomplete", incomplete_details: { reason: "content_filter" }, output: [] }),
    ],
    [
      "a failed one",
      CREATED + ended("failed", { error: { code: "bio_policy" } }),
      response({ status: "failed", error: { code: "bio_policy" }, output: [] }),
    ],
  ])("reads as its stream does: %s", (_name, stream, body) => {
    const { transport: _streamed, ...expected } = read(stream);
    const { transport, ...reading } = readWhole("responses", body);
    expect(reading).toEqual(expected);
    expect(transport).toEqual({
      end: "clean",
      bytes: JSON.stringify(body).length,
      messages: 1,
      unknownEvents: 0,
    });
  });

  test.each([
    ["an error", { error: { message: "no", code: "invalid_request" } }, "PROVIDER_ERROR"],
    ["an error inside", response({ error: { code: "server_error" } }), "PROVIDER_ERROR"],
    ["no status", response({ status: null }), "STREAM_MALFORMED"],
    ["a status that is not final", response({ status: "in_progress" }), "SIGNAL_UNFINISHED"],
    ["a cancelled one", response({ status: "cancelled" }), "RESPONSE_CANCELLED"],
    ["an unknown status", response({ status: "something_new" }), "SIGNAL_UNKNOWN"],
    [
      "a reason for being cut",
      response({ incomplete_details: { reason: "max_output_tokens" } }),
      "SIGNAL_CONFLICT",
    ],
    [
      "an item that can't be read",
      response({ output: [CALL, functionCall({ arguments: {} })] }),
      "STREAM_MALFORMED",
    ],
    ["an item that is no object", response({ output: [CALL, "x"] }), "STREAM_MALFORMED"],
    ["an output that is no list", response({ output: {} }), "STREAM_MALFORMED"],
    ["a call without an id", response({ output: [functionCall({ call_id: null })] }), "IDENTITY_CONFLICT"],
    ["an id twice", response({ output: [CALL, CALL] }), "IDENTITY_CONFLICT"],
    [
      "an item in progress",
      response({ output: [functionCall({ status: "in_progress" })] }),
      "ITEM_INCOMPLETE",
    ],
    [
      "arguments that are cut",
      response({ output: [functionCall({ arguments: '{"a":' })] }),
      "JSON_TRUNCATED",
    ],
    ["a list", [], "STREAM_MALFORMED"],
  ])("is indeterminate with %s", (...[_name, body, errorClass]) => {
    const reading = readWhole("responses", body);
    expect([...summary(reading).slice(0, 2), executable(reading)]).toEqual([
      "indeterminate",
      errorClass,
      false,
    ]);
  });
});

const closing = recordings("responses").flatMap(({ name, streams }) =>
  streams.flatMap((stream) => {
    const text = new TextDecoder().decode(stream);
    const data = /^event: response\.(?:completed|incomplete|failed)\ndata: (.*)$/m.exec(text)?.[1];
    const body =
      data === undefined ? null : (JSON.parse(data) as { response: { output: unknown[] } }).response;
    return body === null || body.output.length === 0 ? [] : [{ name, stream, body }];
  }),
);

describe.skipIf(closing.length === 0)("the closing event of every recording (needs AIRLOCK_SHARED)", () => {
  test.each(closing)("$name reads as the stream before it", ({ stream, body }) => {
    const streamed = read(stream);
    const reading = readWhole("responses", body);
    expect([reading.outcome, reading.raw]).toEqual([streamed.outcome, streamed.raw]);
    expect(reading.items.map(({ kind, callId, name, content }) => [kind, callId, name, content])).toEqual(
      streamed.items.map(({ kind, callId, name, content }) => [kind, callId, name, content]),
    );
  });
});
