import { describe, expect, test } from "vitest";
import {
  commandBodySchema,
  executionBodySchema,
  itemBodySchema,
  parseBody,
  resolutionBodySchema,
  responseBodySchema,
  resultBodySchema,
  runEventSchema,
  turnBodySchema,
} from "@airlock/core/contract";
import { bodies, ITEM, RUN } from "./bodies.ts";

const schemas = {
  command: commandBodySchema,
  turn: turnBodySchema,
  item: itemBodySchema,
  response: responseBodySchema,
  execution: executionBodySchema,
  resolution: resolutionBodySchema,
  result: resultBodySchema,
} as const;
type Name = keyof typeof schemas;
const names = Object.keys(schemas) as Name[];

describe.each(names)("the body of a %s", (name) => {
  const schema = schemas[name];
  const body: Readonly<Record<string, unknown>> = bodies[name];

  test("reads back from its text", () => {
    expect(parseBody(schema, JSON.stringify(body))).toEqual(body);
  });

  test.each([0, 2, "1", null, undefined])("of version %j is refused", (version) => {
    expect(() => parseBody(schema, JSON.stringify({ ...body, version }))).toThrow(
      expect.objectContaining({ code: "SCHEMA_VERSION", message: expect.stringContaining("version") }),
    );
  });

  test("with a field that this build doesn't know is refused", () => {
    expect(() => parseBody(schema, JSON.stringify({ ...body, extra: 1 }))).toThrow(/SCHEMA_VERSION|\(top\)/);
  });

  test("without any one of its fields is refused, naming it", () => {
    for (const field of Object.keys(body)) {
      const rest = Object.fromEntries(Object.entries(body).filter(([key]) => key !== field));
      expect(() => parseBody(schema, JSON.stringify(rest))).toThrow(field);
    }
  });

  test("of something that is no run is refused", () => {
    for (const run of ["", "r1", RUN.toUpperCase(), `${RUN} `, `{${RUN}}`, 1]) {
      expect(() => parseBody(schema, JSON.stringify({ ...body, run }))).toThrow(/run/);
    }
  });
});

test.each<[string, Name, Record<string, unknown>]>([
  ["an item key without ordinal", "execution", { itemKey: `${RUN}.1.1` }],
  ["a grant numbered zero", "execution", { grant: 0 }],
  ["a digest that is too short", "execution", { argumentsDigest: "ab" }],
  ["a digest in capitals", "execution", { argumentsDigest: "A".repeat(64) }],
  ["an end in fractions of milliseconds", "execution", { expiresAt: 1.5 }],
  ["an unknown effect", "execution", { effect: "harmless" }],
  ["a state that no executor may report", "result", { state: "POLICY_APPROVED" }],
  ["an error class that doesn't exist", "result", { errorClass: "OTHER" }],
  ["a negative fence", "result", { fence: -1 }],
  ["an unknown outcome", "response", { outcome: { kind: "completed", action: null } }],
  ["an unknown kind of item", "item", { kind: "call" }],
  ["an item that is executed already", "item", { state: "EXECUTED" }],
  ["a kind of command that doesn't exist", "command", { kind: "approve" }],
])("%s is refused in the body of %s", (_, name, change) => {
  const body = { ...bodies[name], ...change };
  expect(() => parseBody(schemas[name], JSON.stringify(body))).toThrow(
    expect.objectContaining({ code: "SCHEMA_VERSION" }),
  );
});

test("an event has no room for content", () => {
  const event = {
    type: "item_state",
    itemKey: ITEM,
    state: "EXECUTED",
    tool: null,
    rule: null,
    errorClass: null,
    bytes: 1,
  };
  expect(runEventSchema.safeParse(event).success).toBe(true);
  for (const field of ["content", "arguments", "detail", "text"]) {
    expect(runEventSchema.safeParse({ ...event, [field]: "x" }).success).toBe(false);
  }
});
