import { describe, expect, test } from "vitest";
import type { GatewayEvent } from "@airlock/replay";
import { startGateway } from "@airlock/replay";
import { answer, body, gatewayOn, gatewayOver, HEADERS, post, refusalOf, sse } from "./client.ts";

describe("paths", () => {
  test.each([
    ["POST", "/responses", { status: 404, code: "unknown_url", reason: "invalid URL (POST /responses)" }],
    ["POST", "/v1/responses/resp_1", { status: 404, code: "unknown_url", reason: "invalid URL" }],
    ["GET", "/v1/responses", { status: 405, code: "method_not_allowed", reason: "/v1/responses takes POST" }],
    ["GET", "/v1/chat/completions", { status: 405, code: "method_not_allowed", reason: "takes POST" }],
    ["POST", "/v1/models", { status: 405, code: "method_not_allowed", reason: "/v1/models takes GET" }],
  ])("%s %s is refused", async (method, path, { status, code, reason }) => {
    const gateway = await gatewayOver({ "case.1.sse": sse() });
    const refusal = await refusalOf(await fetch(`${gateway.url}${path}`, { method, headers: HEADERS }));
    expect(refusal).toMatchObject({ status, code, type: "invalid_request_error" });
    expect(refusal["message"]).toContain(reason);
  });

  test("the models need a key too", async () => {
    const gateway = await gatewayOver({ "case.1.sse": sse() });
    expect((await fetch(`${gateway.url}/v1/models`)).status).toBe(401);
  });
});

test("events name requests and decisions, never their content", async () => {
  const events: GatewayEvent[] = [];
  const log = (event: GatewayEvent): void => void events.push(event);
  const gateway = await gatewayOver({ "case.1.sse": sse(answer("1", "CANARY")) }, { log });
  await (await post(gateway, body({ input: "CANARY" }))).text();
  await (await post(gateway, body({ input: "CANARY", stream: "CANARY" }))).text();
  const played = { path: "/v1/responses", model: "replay/case", case: "case", turn: 1, attempt: 1 };
  expect(events).toEqual([
    { type: "request_played", requestId: "replay-1", ...played },
    { type: "request_ended", requestId: "replay-1" },
    { type: "request_refused", requestId: "replay-2", code: "invalid_request", message: expect.any(String) },
    { type: "request_ended", requestId: "replay-2" },
  ]);
  expect(JSON.stringify(events)).not.toContain("CANARY");
});

test("an answer that is to wait before its end ends no sooner than it may", async () => {
  let finish = (): void => undefined;
  const held = new Promise<void>((resolve) => (finish = resolve));
  let sent = (): void => undefined;
  const sending = new Promise<void>((resolve) => (sent = resolve));
  const events: string[] = [];
  const beforeEnd = (): Promise<void> => {
    sent();
    return held;
  };
  const log = ({ type }: GatewayEvent): void => void events.push(type);
  const gateway = await gatewayOver({ "case.1.sse": sse(answer("1")) }, { log, beforeEnd });
  const response = await post(gateway, body({ input: "Go." }));
  await sending;
  expect(events).toEqual(["request_played"]);
  finish();
  expect(await response.text()).toBe(sse(answer("1")));
  expect(events).toEqual(["request_played", "request_ended"]);
});

test("many requests at once are each answered whole", async () => {
  const gateway = await gatewayOver({ "case.1.sse": sse(answer("1")) }, { misbehave: { chunkBytes: 5 } });
  const texts = Array.from({ length: 30 }, async (_, index) =>
    (await post(gateway, body({ input: `Run ${index}.` }))).text(),
  );
  expect(new Set(await Promise.all(texts))).toEqual(new Set([sse(answer("1"))]));
  expect(gateway.requests().map(({ attempt }) => attempt)).toEqual(Array.from({ length: 30 }, () => 1));
});

describe("start", () => {
  test("a port that is taken is a clear error", async () => {
    const first = await gatewayOn({ directory: "." });
    await expect(startGateway({ directory: ".", port: first.port })).rejects.toMatchObject({
      code: "PORT_IN_USE",
      message: `a port is taken: 127.0.0.1:${first.port}`,
    });
  });

  test("a missing folder is a clear error", async () => {
    await expect(startGateway({ directory: "no/such/folder" })).rejects.toMatchObject({
      code: "CONFIG_INVALID",
      message: "the configuration is not usable: there is no folder of fixtures at no/such/folder",
    });
  });

  test("after close the port is free again", async () => {
    const first = await gatewayOn({ directory: "." });
    await first.close();
    const second = await gatewayOn({ directory: ".", port: first.port });
    expect(second.url).toBe(first.url);
  });
});
