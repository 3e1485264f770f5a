import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { RUN_CANCELLED } from "@airlock/core/queue";
import { ADAPTERS, type Adapter } from "@airlock/core/wire";
import { Agent, type buildConnector } from "undici";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createDeadlines, type DeadlineTimes } from "../../src/request/deadlines.ts";
import { streamResponse, type StreamedResponse } from "../../src/request/stream-response.ts";

const PATIENT: DeadlineTimes = {
  connectMs: 5_000,
  firstByteMs: 5_000,
  idleMs: 5_000,
  totalMs: 10_000,
  runMs: null,
};
const FIXTURES = new URL("../../../../fixtures/demo/", import.meta.url);
const STREAM = readFileSync(new URL("contract/responses/text.1.sse", FIXTURES), "utf8");
const EVENTS = { "content-type": "text/event-stream" };

type Answer = (response: ServerResponse, request: IncomingMessage) => void;
let answer: Answer;
let requests: string[];
/** Resolves when the server has seen a request's socket close. */
let socketClosed: Promise<void>;
let dispatcher: Agent;
const server = createServer((request, response) => {
  requests.push(request.url ?? "");
  socketClosed = new Promise((resolve) => request.socket.once("close", () => resolve()));
  answer(response, request);
});

beforeEach(async () => {
  requests = [];
  dispatcher = new Agent({ bodyTimeout: 0, headersTimeout: 0 });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
});
afterEach(async () => {
  await dispatcher.destroy();
  server.closeAllConnections();
  server.close();
  await once(server, "close");
});

function address(): string {
  const { port } = server.address() as AddressInfo;
  return `http://127.0.0.1:${port}/v1/responses`;
}

const LIMITS = {
  maxMessageBytes: 2 ** 24,
  maxStreamBytes: 2 ** 26,
  maxArgumentBytes: 2 ** 20,
  maxItems: 128,
};

function stream(
  given: {
    readonly times?: Partial<DeadlineTimes>;
    readonly cancel?: AbortSignal;
    readonly url?: string;
    readonly adapter?: Adapter;
    readonly dispatcher?: Agent;
    readonly limits?: Partial<typeof LIMITS>;
  } = {},
): Promise<StreamedResponse> {
  const {
    times = {},
    cancel = new AbortController().signal,
    url = address(),
    adapter = ADAPTERS.responses,
  } = given;
  return streamResponse(
    { url: new URL(url), headers: { "content-type": "application/json" }, body: "{}" },
    {
      adapter,
      dispatcher: given.dispatcher ?? dispatcher,
      deadlines: createDeadlines({ ...PATIENT, ...times }, cancel),
      limits: { ...LIMITS, ...given.limits },
      maxOutputTokens: null,
      closingMarker: "required",
    },
  );
}

const INDETERMINATE = { kind: "indeterminate", action: null };

describe("a response", () => {
  test("that closes its stream is read at the closing event, though the server keeps the connection", async () => {
    answer = (response) => {
      response.writeHead(200, EVENTS).write(STREAM);
    };
    const { reading, httpStatus } = await stream();
    expect(httpStatus).toBe(200);
    expect(reading.outcome).toEqual({ kind: "candidate_complete", action: null });
    expect(reading.transport.end).toBe("closed_by_marker");
    await socketClosed;
  });

  test.each([
    [{ maxMessageBytes: 20 }, "MESSAGE_TOO_LARGE"],
    [{ maxStreamBytes: 20 }, "STREAM_TOO_LARGE"],
  ])("that is over a limit that was set to %j is refused as %s", async (limits, errorClass) => {
    answer = (response) => {
      response.writeHead(200, EVENTS).end(STREAM);
    };
    const { reading } = await stream({ limits });
    expect([reading.errorClass, reading.outcome]).toEqual([errorClass, INDETERMINATE]);
  });

  test("that redirects is not followed", async () => {
    answer = (response) => {
      response.writeHead(307, { location: "/elsewhere" }).end();
    };
    const { reading, httpStatus } = await stream();
    expect(requests).toEqual(["/v1/responses"]);
    expect([httpStatus, reading.transport.end, reading.outcome]).toEqual([307, "http_error", INDETERMINATE]);
  });

  test("that is split after every byte is read the same", async () => {
    answer = (response) => {
      response.writeHead(200, EVENTS);
      for (const byte of Buffer.from(STREAM)) response.write(Buffer.of(byte));
      response.end();
    };
    const { reading } = await stream();
    answer = (response) => {
      response.writeHead(200, EVENTS).end(STREAM);
    };
    expect(reading.outcome.kind).toBe("candidate_complete");
    expect(reading).toEqual((await stream()).reading);
  });
});

describe("a response that doesn't say what it is", () => {
  test.each([{ "content-type": "text/plain" }, { "content-type": "application/json" }, {}])(
    "is read as the event stream that it begins like: %j",
    async (headers) => {
      answer = (response) => response.writeHead(200, headers).end(STREAM);
      const { reading } = await stream();
      expect([reading.outcome.kind, reading.transport.end]).toEqual([
        "candidate_complete",
        "closed_by_marker",
      ]);
    },
  );

  test("is read as the whole response that it is", async () => {
    const closing = STREAM.split("\n").findLast((line) => line.startsWith("data: ")) ?? "";
    const whole: { readonly response: unknown } = JSON.parse(closing.slice("data: ".length));
    answer = (response) =>
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(whole.response));
    expect((await stream()).reading).toMatchObject({
      outcome: { kind: "candidate_complete" },
      errorClass: null,
    });
  });

  test("is an error where its whole body is one", async () => {
    answer = (response) =>
      response
        .writeHead(200, { "content-type": "application/json" })
        .end('{"error":{"message":"no","code":"x"}}');
    expect((await stream()).reading).toMatchObject({ outcome: INDETERMINATE, errorClass: "PROVIDER_ERROR" });
  });
});

describe("an error status", () => {
  test.each([
    [
      '{"error":{"message":"bad (request id: 1)","type":"comet_api_error","code":"invalid_request"}}',
      "invalid_request",
    ],
    ['{"error":{"message":"busy","code":""}}', null],
    ['{"error":{"message":"busy","code":"a code with blanks"}}', null],
    ["<html>Bad gateway</html>", null],
    ["x".repeat(100_000), null],
    ["", null],
  ])("keeps the provider's own code, and no text: %j", async (body, errorCode) => {
    answer = (response) => response.writeHead(500, { "content-type": "application/json" }).end(body);
    const streamed = await stream();
    expect([streamed.httpStatus, streamed.errorCode]).toEqual([500, errorCode]);
    expect(streamed.reading.transport.end).toBe("http_error");
  });
});

describe("a response is told apart that", () => {
  test.each<[string, Answer, Partial<DeadlineTimes>, string, number | null]>([
    ["is an error", (response) => response.writeHead(500).end("no"), {}, "http_error", 500],
    [
      "is an error in the clothes of a stream",
      (response) => response.writeHead(500, EVENTS).end(STREAM),
      {},
      "http_error",
      500,
    ],
    [
      "is a page",
      (response) => response.writeHead(200, { "content-type": "text/html" }).end("<!doctype html><p>hello"),
      {},
      "bad_content_type",
      200,
    ],
    [
      "is a page without a name",
      (response) => response.writeHead(200).end(" \n <html>"),
      {},
      "bad_content_type",
      200,
    ],
    [
      "is reset in the middle",
      (response) => {
        response.writeHead(200, EVENTS).write(STREAM.slice(0, 200), () => response.destroy());
      },
      {},
      "reset",
      200,
    ],
    ["is reset before it begins", (response) => response.destroy(), {}, "reset", null],
    [
      "ends before its closing event",
      (response) =>
        response.writeHead(200, EVENTS).end(STREAM.slice(0, STREAM.indexOf("response.completed"))),
      {},
      "mid_line",
      200,
    ],
    [
      "falls silent",
      (response) => response.writeHead(200, EVENTS).write(STREAM.slice(0, 200)),
      { idleMs: 50 },
      "idle_timeout",
      200,
    ],
    [
      "sends headers and nothing more",
      (response) => response.writeHead(200, EVENTS).flushHeaders(),
      { firstByteMs: 50 },
      "first_byte_timeout",
      200,
    ],
    [
      "takes the request and sends nothing at all",
      () => undefined,
      { connectMs: 5_000, firstByteMs: 50 },
      "first_byte_timeout",
      null,
    ],
    [
      "outlives its run",
      (response) => response.writeHead(200, EVENTS).write(STREAM.slice(0, 200)),
      { runMs: 50 },
      "run_timeout",
      200,
    ],
    [
      "never ends",
      (response) => {
        response.writeHead(200, EVENTS);
        const timer = setInterval(() => response.write(": still here\n"), 5);
        response.on("close", () => clearInterval(timer));
      },
      { totalMs: 100 },
      "total_timeout",
      200,
    ],
  ])("%s", async (_, given, times, end, status) => {
    answer = given;
    const { reading, httpStatus } = await stream({ times });
    expect({ end: reading.transport.end, httpStatus, outcome: reading.outcome }).toEqual({
      end,
      httpStatus: status,
      outcome: INDETERMINATE,
    });
    if (end.endsWith("_timeout")) await socketClosed;
  });

  test("never comes, since nobody listens", async () => {
    const { reading, httpStatus } = await stream({ url: "http://127.0.0.1:1/v1/responses" });
    expect([reading.transport.end, httpStatus]).toEqual(["connect_error", null]);
  });

  test("never comes, since connecting takes too long", async () => {
    let fail = (): void => undefined;
    const connect: buildConnector.connector = (_options, callback) => {
      fail = () => callback(new Error("lost"), null); // until then as if every packet were lost
    };
    const lost = new Agent({ connect });
    const { reading, httpStatus } = await stream({ times: { connectMs: 50 }, dispatcher: lost });
    expect([reading.transport.end, httpStatus, requests]).toEqual(["connect_timeout", null, []]);
    fail();
    await lost.destroy();
  });

  // a busy machine may hold back any process for longer: one of the tries has to keep to it
  test(
    "is cancelled: within 100 ms the reading is there and the server has lost the connection",
    { retry: 3 },
    async () => {
      const begun = new Promise<void>((resolve) => {
        answer = (response) => {
          response.writeHead(200, EVENTS).write(STREAM.slice(0, 200), () => resolve());
        };
      });
      const cancel = new AbortController();
      const streaming = stream({ cancel: cancel.signal });
      await begun;
      const started = performance.now();
      cancel.abort(RUN_CANCELLED);
      const { reading } = await streaming;
      await socketClosed;
      expect(performance.now() - started).toBeLessThan(100);
      expect([reading.transport.end, reading.outcome]).toEqual(["cancelled", INDETERMINATE]);
    },
  );
});

test("a fault of the reader itself is not taken for a broken stream", async () => {
  answer = (response) => {
    response.writeHead(200, EVENTS).end(STREAM);
  };
  const decode = (): never => {
    throw new TypeError("a bug");
  };
  const adapter: Adapter = {
    ...ADAPTERS.responses,
    createDecoder: () => ({ ...ADAPTERS.responses.createDecoder(), decode }),
  };
  await expect(stream({ adapter })).rejects.toThrow(new TypeError("a bug"));
});

describe("the time that a route asks to wait", () => {
  test.each([
    ["2", 2_000],
    ["1.5", 1_500],
    ["0.0001", 1],
    ["100000", 600_000],
    ["0", null],
    ["-1", null],
    ["soon", null],
    ["Wed, 21 Oct 2065 07:28:00 GMT", 600_000],
    [undefined, null],
  ])("of %j is %j", async (header, expected) => {
    answer = (response) => {
      response.writeHead(429, header === undefined ? {} : { "retry-after": header }).end();
    };
    expect(await stream()).toMatchObject({ httpStatus: 429, retryAfterMs: expected });
  });
});
