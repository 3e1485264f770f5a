import { describe, expect, test } from "vitest";
import type { TurnBody } from "@airlock/core/contract";
import { parseRoutes, type Route } from "@airlock/core/run";
import { BUILTIN_MANIFESTS, createCatalog, manifestDigest, schemaText } from "@airlock/core/tool";
import { ADAPTERS, FAMILIES } from "@airlock/core/wire";
import { buildRequest, requestUrl } from "../../src/request/build-request.ts";

describe("the address of a request", () => {
  test.each([
    ["https://api.cometapi.com/v1", "https://api.cometapi.com/v1/responses"],
    ["https://api.cometapi.com/v1/", "https://api.cometapi.com/v1/responses"],
    ["https://api.cometapi.com", "https://api.cometapi.com/v1/responses"],
    ["http://127.0.0.1:8080//", "http://127.0.0.1:8080/v1/responses"],
    ["https://host/proxy", "https://host/proxy/v1/responses"],
    ["https://host/proxy/v1", "https://host/proxy/v1/responses"],
    ["https://hostv1", "https://hostv1/v1/responses"],
    ["https://host/v10", "https://host/v10/v1/responses"],
  ])("of %s is %s", (base, expected) => {
    expect(requestUrl(base, "/v1/responses").href).toBe(expected);
  });

  test.each(FAMILIES.flatMap((family) => ["", "/v1", "/v1beta/"].map((end) => [family, end] as const)))(
    "of the family %s does not depend on the version that the base ends in: %o",
    (family, end) => {
      const path = ADAPTERS[family].path("m");
      expect(requestUrl(`https://api.cometapi.com${end}`, path).href).toBe(`https://api.cometapi.com${path}`);
    },
  );
});

const catalog = createCatalog(BUILTIN_MANIFESTS);
const pinned = ["read_file", "write_file"].map((name) => {
  const manifest = catalog.get(name);
  return { name, digest: manifest === undefined ? "" : manifestDigest(manifest) };
});
const turn: TurnBody = {
  version: 1,
  run: "r0123456789abcdefghjk",
  turn: 1,
  attempt: 1,
  route: "a",
  model: "m",
  tools: pinned,
  maxOutputTokens: 100,
  stopSequences: null,
  parallelToolCalls: false,
};
const entries = [
  { type: "instructions", text: "Do." },
  { type: "user", text: "Go." },
] as const;

function routeTo(baseUrl: string): Route {
  const text = `routes: { a: { family: responses, baseUrl: '${baseUrl}', models: ['**'] } }`;
  const route = parseRoutes(text, "routes.yaml").get("a");
  if (route === undefined) throw new Error("no route");
  return route;
}

function tryBuild(change: Partial<TurnBody>, baseUrl: string, apiKey = "key-1") {
  const access = {
    route: routeTo(baseUrl),
    cometapiBaseUrl: "https://comet.example/v1",
    apiKey,
    stopSequences: [],
  };
  return buildRequest({ ...turn, ...change }, entries, { ...access, catalog });
}

function build(baseUrl: string) {
  const built = tryBuild({}, baseUrl);
  if (!built.ok) throw new Error(built.errorClass);
  return built.request;
}

describe("a request", () => {
  test("asks for an unpacked event stream, with the key in its header and nowhere else", () => {
    const request = build("cometapi");
    expect(request.headers).toEqual({
      authorization: "Bearer key-1",
      "content-type": "application/json",
      accept: "text/event-stream",
      "accept-encoding": "identity",
    });
    expect(request.body).not.toContain("key-1");
    expect(request.url.href).toBe("https://comet.example/v1/responses");
  });

  test("takes CometAPI's key to no other address", () => {
    const request = build("http://127.0.0.1:1");
    expect(request.url.href).toBe("http://127.0.0.1:1/v1/responses");
    expect(JSON.stringify(request)).not.toContain("key-1");
  });

  test("is not built for CometAPI without its key", () => {
    expect(tryBuild({}, "cometapi", "")).toEqual({ ok: false, errorClass: "API_KEY_MISSING" });
  });

  test("holds each pinned tool's schema byte for byte as it is enforced", () => {
    for (const { name } of pinned) {
      const manifest = catalog.get(name);
      expect(build("cometapi").body).toContain(manifest === undefined ? "-" : schemaText(manifest));
    }
  });

  test.each([
    ["has another digest", [{ name: "read_file", digest: "0".repeat(64) }]],
    ["is gone", [...pinned, { name: "rm_rf", digest: "0".repeat(64) }]],
  ])("is not built where a tool %s", (_, tools) => {
    expect(tryBuild({ tools }, "cometapi")).toEqual({ ok: false, errorClass: "TOOL_DRIFT" });
  });
});
