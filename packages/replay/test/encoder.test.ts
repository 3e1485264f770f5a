import { createResponseReader } from "@airlock/core/terminal";
import { BUILTIN_MANIFESTS, schemaText } from "@airlock/core/tool";
import { ADAPTERS, conversationEntrySchema, FAMILIES, type Family } from "@airlock/core/wire";
import { expect, test } from "vitest";
import { z } from "zod";
import { answer, call, gatewayOver, HEADERS, reasoning, sse } from "./client.ts";
import { CASES, send } from "./families.ts";

const TOOLS = BUILTIN_MANIFESTS.map((manifest) => ({
  name: manifest.name,
  description: manifest.description,
  schemaText: schemaText(manifest),
}));

const LIMITS = {
  maxMessageBytes: 2 ** 20,
  maxStreamBytes: 2 ** 20,
  maxArgumentBytes: 2 ** 20,
  maxItems: 128,
  requestedMaxOutputTokens: null,
};

const STREAMS: Readonly<Record<Family, readonly [first: string, last: string]>> = {
  responses: [sse(reasoning("1"), call("a"), call("b")), sse(answer("2"))],
  chat: [CASES.chat.stream, CASES.chat.last],
  anthropic: [CASES.anthropic.stream, CASES.anthropic.last],
  gemini: [CASES.gemini.stream, CASES.gemini.last],
};

function encode(family: Family, entries: readonly unknown[]): string {
  return ADAPTERS[family].encode({
    model: "replay/case",
    entries: z.array(conversationEntrySchema).parse(entries),
    tools: TOOLS,
    maxOutputTokens: 4096,
    temperature: 0.5,
    topP: 0.9,
    stopSequences: family === "responses" ? [] : ["END"],
    parallelToolCalls: false,
    stream: true,
  });
}

test.each(FAMILIES)(
  "what Airlock itself makes of a %s conversation is accepted, turn by turn, and never with a byte changed",
  async (family) => {
    const adapter = ADAPTERS[family];
    const [first, last] = STREAMS[family];
    const gateway = await gatewayOver({ "case.1.sse": first, "case.2.sse": last });
    const path = adapter.path("replay/case");
    const headers = { ...HEADERS, ...adapter.headers };
    const opening = [
      { type: "instructions", text: "Be brief." },
      { type: "user", text: "Fix it." },
    ];
    const begun = await send(gateway, path, { headers, body: encode(family, opening) });
    const text = await begun.text();
    expect([begun.status, text]).toEqual([200, first]);

    const reader = createResponseReader(adapter, LIMITS);
    reader.push(new TextEncoder().encode(text));
    const { items, outputItems } = reader.end("clean");
    const calls = items.filter(({ kind }) => kind === "tool_call");
    expect(calls).toHaveLength(2);
    const body = encode(family, [
      ...opening,
      { type: "model_output", family, attempt: "run.1.1", items: outputItems },
      ...calls.map(({ ordinal, callId }) => ({
        type: "call_result",
        itemKey: `run.1.1.${ordinal}`,
        callId,
        argumentsKind: "json",
        content: "{}",
      })),
      { type: "correction", text: "A section is missing." },
    ]);
    // In the one place that all families repeat word for word: the name of a tool that was called.
    const at = body.indexOf(`"name":"${calls[0]?.name}"`) + '"name":"'.length;
    const changed = `${body.slice(0, at)}x${body.slice(at + 1)}`;
    expect((await send(gateway, path, { headers, body: changed })).status).toBe(400);
    const followed = await send(gateway, path, { headers, body });
    expect([followed.status, await followed.text()]).toEqual([200, last]);
    expect(gateway.requests().map(({ turn }) => turn)).toEqual([1, 2]);
  },
);
