import { ADAPTERS, conversationEntrySchema } from "@airlock/core/wire";
import { BUILTIN_MANIFESTS, schemaText } from "@airlock/core/tool";
import { expect, test } from "vitest";
import { z } from "zod";
import { answer, call, gatewayOver, post, reasoning, sse } from "./client.ts";

const TOOLS = BUILTIN_MANIFESTS.map((manifest) => ({
  name: manifest.name,
  description: manifest.description,
  schemaText: schemaText(manifest),
}));

const entriesOf = (entries: unknown) => z.array(conversationEntrySchema).parse(entries);

test("what Airlock's own encoder makes of a conversation is accepted, turn by turn", async () => {
  const output = [reasoning("1"), call("a"), call("b")];
  const gateway = await gatewayOver({ "case.1.sse": sse(...output), "case.2.sse": sse(answer("2")) });
  const first = entriesOf([
    { type: "instructions", text: "Be brief." },
    { type: "user", text: "Fix it." },
  ]);
  const second = entriesOf([
    ...first,
    { type: "model_output", family: "responses", attempt: "run.1.1", items: output },
    { type: "call_result", itemKey: "run.1.1.2", callId: "call_b", argumentsKind: "json", content: "{}" },
    { type: "call_result", itemKey: "run.1.1.1", callId: "call_a", argumentsKind: "json", content: "{}" },
    { type: "correction", text: "A section is missing." },
  ]);
  for (const entries of [first, second]) {
    const text = ADAPTERS.responses.encode({
      model: "replay/case",
      entries,
      tools: TOOLS,
      maxOutputTokens: 4096,
      stopSequences: [],
      parallelToolCalls: true,
      stream: true,
    });
    const response = await post(gateway, text);
    expect([response.status, await response.text()]).toEqual([
      200,
      sse(...(entries === first ? output : [answer("2")])),
    ]);
  }
});
