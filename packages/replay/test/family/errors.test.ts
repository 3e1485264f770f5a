import { describe, expect, test } from "vitest";
import { gatewayOver, HEADERS } from "../client.ts";
import { CASES, send } from "../families.ts";

const ANTHROPIC = CASES.anthropic.headers;
const { authorization: _bearer, ...anonymous } = HEADERS;

async function failure(
  {
    path,
    body,
    headers,
  }: { readonly path: string; readonly body: unknown; readonly headers: typeof ANTHROPIC },
  files: Readonly<Record<string, string>> = { "case.1.sse": "x" },
): Promise<unknown> {
  const gateway = await gatewayOver(files, { apiKeys: ["test-key"] });
  const response = await send(gateway, path, { body, headers });
  return [response.status, await response.json()];
}

describe("errors are put as the family puts them", () => {
  test("chat, as CometAPI does", async () => {
    const { path, request, headers } = CASES.chat;
    expect(await failure({ path, headers, body: { ...request, n: 2 } })).toEqual([
      400,
      {
        error: {
          message: expect.stringMatching(/expected 1 \(request id: replay-1\)$/u),
          type: "comet_api_error",
          param: "n",
          code: "invalid_request",
        },
      },
    ]);
  });

  test("Anthropic", async () => {
    const { path, request, headers } = CASES.anthropic;
    expect(await failure({ path, headers, body: { ...request, n: 2 } })).toEqual([
      400,
      {
        type: "error",
        error: { type: "invalid_request_error", message: "n: unknown parameter: n (request id: replay-1)" },
        request_id: "replay-1",
      },
    ]);
    const overloaded = { "case.1.json": '{"httpStatus":529}' };
    expect(await failure({ path, headers, body: request }, overloaded)).toEqual([
      529,
      {
        type: "error",
        error: { type: "overloaded_error", message: "replayed status 529 (request id: replay-1)" },
        request_id: "replay-1",
      },
    ]);
  });

  test("Gemini", async () => {
    const { path, request, headers } = CASES.gemini;
    const details = [
      {
        "@type": "type.googleapis.com/google.rpc.BadRequest",
        fieldViolations: [{ field: "n", description: "unknown parameter: n" }],
      },
    ];
    const message = "unknown parameter: n (request id: replay-1)";
    expect(await failure({ path, headers, body: { ...request, n: 2 } })).toEqual([
      400,
      { error: { code: 400, message, status: "INVALID_ARGUMENT", details } },
    ]);
    const limited = { "case.1.json": '{"httpStatus":429}' };
    expect(await failure({ path, headers, body: request }, limited)).toEqual([
      429,
      {
        error: {
          code: 429,
          message: "replayed status 429 (request id: replay-1)",
          status: "RESOURCE_EXHAUSTED",
        },
      },
    ]);
  });
});

describe("the key", () => {
  test.each([
    ["anthropic", { ...ANTHROPIC }, 200],
    ["anthropic", { ...anonymous, "anthropic-version": "2023-06-01", "x-api-key": "test-key" }, 200],
    ["anthropic", { ...ANTHROPIC, "x-api-key": "another" }, 401],
    ["anthropic", { ...anonymous, "anthropic-version": "2023-06-01" }, 401],
    ["anthropic", { ...anonymous, "anthropic-version": "2023-06-01", "x-goog-api-key": "test-key" }, 401],
    ["anthropic", HEADERS, 400],
    ["anthropic", { ...HEADERS, "anthropic-version": "2024-01-01" }, 400],
    ["gemini", HEADERS, 200],
    ["gemini", { ...anonymous, "x-goog-api-key": "test-key" }, 200],
    ["gemini", { ...anonymous, "x-api-key": "test-key" }, 401],
    ["chat", HEADERS, 200],
    ["chat", { ...anonymous, "x-api-key": "test-key" }, 401],
  ] as const)("%s with %o: %i", async (family, headers, status) => {
    const { path, request } = CASES[family];
    const gateway = await gatewayOver({ "case.1.sse": "x" }, { apiKeys: ["test-key"] });
    expect((await send(gateway, path, { headers, body: request })).status).toBe(status);
  });
});
