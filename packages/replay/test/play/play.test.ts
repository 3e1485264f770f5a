import { EventEmitter, once } from "node:events";
import { request } from "node:http";
import { describe, expect, test } from "vitest";
import type { GatewayEvent, Misbehaviour } from "@airlock/replay";
import { answer, body, gatewayOver, HEADERS, post, sse } from "../client.ts";

const STREAM = sse(answer("1", "Grüße ✓ 🚀"));
const BYTES = new TextEncoder().encode(STREAM);

interface Received {
  readonly status: number;
  readonly type: string | undefined;
  readonly chunks: readonly number[];
  readonly text: string;
  /** `end` where the body ended properly, else the connection's error code. */
  readonly end: string;
}

/** Below fetch, so that chunks and the way of ending are seen. */
function receive(url: string): Promise<Received> {
  return new Promise((resolve, reject) => {
    const outgoing = request(`${url}/v1/responses`, { method: "POST", headers: HEADERS, agent: false });
    outgoing.on("error", reject);
    outgoing.on("response", (incoming) => {
      const chunks: Buffer[] = [];
      const finish = (end: string): void =>
        resolve({
          status: incoming.statusCode ?? 0,
          type: incoming.headers["content-type"],
          chunks: chunks.map(({ byteLength }) => byteLength),
          text: Buffer.concat(chunks).toString(),
          end,
        });
      incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
      incoming.on("end", () => finish("end"));
      incoming.on("error", (error: NodeJS.ErrnoException) => finish(error.code ?? error.message));
      // A reset is told to the request first.
      outgoing.off("error", reject);
      outgoing.on("error", (error: NodeJS.ErrnoException) => finish(error.code ?? error.message));
    });
    outgoing.end(JSON.stringify(body()));
  });
}

function played(sidecar: Misbehaviour): Promise<Received> {
  return gatewayOver({ "case.1.sse": STREAM, "case.1.json": JSON.stringify(sidecar) }).then(({ url }) =>
    receive(url),
  );
}

const SSE_TYPE = "text/event-stream; charset=utf-8";

describe("a fixture", () => {
  test("is sent byte for byte as an event stream", async () => {
    expect(await played({})).toMatchObject({ status: 200, type: SSE_TYPE, text: STREAM, end: "end" });
  });

  test("can come in small chunks, which may tear letters apart", async () => {
    const received = await played({ chunkBytes: 3 });
    expect(received.text).toBe(STREAM);
    expect(received.chunks.slice(0, -1).every((size) => size === 3)).toBe(true);
  });

  test("can come with pauses", async () => {
    const begin = performance.now();
    const received = await played({ chunkBytes: Math.ceil(BYTES.byteLength / 3), delayMs: 20 });
    expect(performance.now() - begin).toBeGreaterThan(55);
    expect(received.chunks).toHaveLength(3);
  });

  test("can end properly at any byte", async () => {
    expect(await played({ cutAtByte: 40 })).toMatchObject({
      status: 200,
      text: STREAM.slice(0, 40),
      end: "end",
    });
    expect(await played({ cutAtByte: 0 })).toMatchObject({ status: 200, text: "", end: "end" });
    expect(await played({ cutAtByte: 1_000_000 })).toMatchObject({ text: STREAM, end: "end" });
  });

  test.each([{ resetAtByte: 0 }, { resetAtByte: 40 }, { resetAtByte: 40, chunkBytes: 1 }])(
    "can be reset at any byte: %o",
    async (sidecar) => {
      const { text, end } = await played(sidecar);
      // A client that is slow to read may lose the last bytes to the reset, and never sees more.
      expect(STREAM.slice(0, sidecar.resetAtByte).startsWith(text)).toBe(true);
      expect(end).toBe("ECONNRESET");
    },
  );

  test("can fall silent before its end", async () => {
    const begin = performance.now();
    expect(await played({ cutAtByte: 40, holdOpenMs: 60 })).toMatchObject({
      text: STREAM.slice(0, 40),
      end: "end",
    });
    expect(performance.now() - begin).toBeGreaterThan(55);
  });

  test("can have another content type", async () => {
    expect(await played({ contentType: "application/json" })).toMatchObject({
      type: "application/json",
      text: STREAM,
    });
  });

  test("can be replaced by a body of any type", async () => {
    const html = { body: "<html>login</html>", contentType: "text/html" };
    expect(await played(html)).toMatchObject({ status: 200, type: "text/html", text: html.body, end: "end" });
    expect(await played({ body: { status: "completed" } })).toMatchObject({
      type: "application/json",
      text: '{"status":"completed"}',
    });
  });

  test("can be replaced by an error status, with CometAPI's body", async () => {
    const received = await played({ httpStatus: 503 });
    expect(received).toMatchObject({ status: 503, type: "application/json" });
    expect(JSON.parse(received.text)).toEqual({
      error: {
        message: "replayed status 503 (request id: replay-1)",
        type: "comet_api_error",
        param: "",
        code: "",
      },
    });
  });

  test("can bring headers, such as those of a limit or of a redirect", async () => {
    const gateway = await gatewayOver({
      "case.1.json": JSON.stringify({ httpStatus: 429, retryAfter: 7, headers: { "x-limit": "3" } }),
      "moved.1.json": JSON.stringify({ httpStatus: 301, headers: { location: "/elsewhere" } }),
    });
    const limited = await post(gateway, body());
    expect([limited.status, limited.headers.get("retry-after"), limited.headers.get("x-limit")]).toEqual([
      429,
      "7",
      "3",
    ]);
    const moved = await post(gateway, body({ model: "replay/moved" }));
    expect([moved.status, moved.headers.get("location"), await moved.text()]).toEqual([
      301,
      "/elsewhere",
      "",
    ]);
  });

  test("follows the gateway's own misbehaviour where its sidecar says nothing else", async () => {
    const files = { "case.1.sse": STREAM, "other.1.sse": STREAM, "other.1.json": '{"cutAtByte":20}' };
    const gateway = await gatewayOver(files, { misbehave: { cutAtByte: 10, contentType: "text/plain" } });
    expect(await receive(gateway.url)).toMatchObject({ text: STREAM.slice(0, 10), type: "text/plain" });
    const other = await post(gateway, body({ model: "replay/other" }));
    expect([await other.text(), other.headers.get("content-type")]).toEqual([
      STREAM.slice(0, 20),
      "text/plain",
    ]);
  });
});

describe("a stream is broken off", () => {
  test("when the client leaves", async () => {
    const events = new EventEmitter();
    const aborted = once(events, "request_aborted");
    const log = (event: GatewayEvent): void => void events.emit(event.type, event);
    const misbehave = { chunkBytes: 10, delayMs: 600_000 };
    const gateway = await gatewayOver({ "case.1.sse": STREAM }, { misbehave, log });
    const leaving = new AbortController();
    const response = await post(gateway, body(), { signal: leaving.signal });
    leaving.abort();
    await expect(response.text()).rejects.toThrow("abort");
    expect(await aborted).toEqual([{ type: "request_aborted", requestId: "replay-1" }]);
  });

  test("when the gateway closes", async () => {
    const gateway = await gatewayOver({ "case.1.sse": STREAM }, { misbehave: { holdOpenMs: 600_000 } });
    const response = await post(gateway, body());
    await gateway.close();
    await expect(response.text()).rejects.toThrow("terminated");
  });
});
