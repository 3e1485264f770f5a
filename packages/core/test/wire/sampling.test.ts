import { ADAPTERS, FAMILIES, type Sampling } from "@airlock/core/wire";
import { expect, test } from "vitest";

const INPUT = {
  model: "m",
  entries: [],
  tools: [],
  maxOutputTokens: null,
  stopSequences: [],
  parallelToolCalls: true,
  stream: true,
} as const;

test.each(FAMILIES)("a request of %s says how the model chooses, as far as the run does", (family) => {
  const named = (sampling: Sampling): unknown => {
    const body = JSON.parse(ADAPTERS[family].encode({ ...INPUT, ...sampling })) as Record<string, unknown>;
    const { temperature, topP, top_p } = (
      family === "gemini" ? (body["generationConfig"] ?? {}) : body
    ) as Record<string, unknown>;
    return { temperature, topP, top_p };
  };
  const topP = family === "gemini" ? { topP: 0.9, top_p: undefined } : { topP: undefined, top_p: 0.9 };
  expect(named({ temperature: 0, topP: 0.9 })).toEqual({ temperature: 0, ...topP });
  expect(named({})).toEqual({});
});
