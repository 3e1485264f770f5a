import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { ERROR_CLASSES, namesOf } from "@airlock/core/fault";
import { FAMILIES } from "@airlock/core/wire";
import { parse } from "yaml";
import { z } from "zod";
import { ROOT } from "./cell.ts";

const errorClass = z.enum(namesOf(ERROR_CLASSES)).nullable().default(null);

/** A terminal item: a message's text, a call with its arguments, or a hosted tool's request for approval. */
const item = z.union([
  z.strictObject({ message: z.string() }),
  z.strictObject({ hosted: z.string(), server: z.string(), arguments: z.string() }),
  z.strictObject({
    tool: z.string(),
    arguments: z.union([z.string(), z.record(z.string(), z.json())]),
    /** why the streamer set it aside */
    quarantined: errorClass,
  }),
]);

/** How an attempt ended: the current one of the open turn. */
const response = z.strictObject({
  outcome: z.enum([
    "tool",
    "continue",
    "approve",
    "candidate_complete",
    "truncated",
    "policy_stop",
    "indeterminate",
  ]),
  items: z.array(item).default([]),
  errorClass,
  outputTokens: z.int().nullable().default(null),
  httpStatus: z.int().nullable().default(200),
  stopSequence: z.int().nullable().default(null),
});

/** What an executor says of a call: how it ended, or that it was refused before it began. */
const result = z.union([
  z.strictObject({ status: z.literal("ok"), content: z.record(z.string(), z.json()) }),
  z.strictObject({ status: z.literal("refused"), errorClass: z.string(), detail: z.string() }),
  z.strictObject({ status: z.literal("unknown"), errorClass: z.string(), detail: z.string() }),
  /** it had begun, and was shown not to have run */
  z.strictObject({ status: z.literal("not_executed") }),
  z.strictObject({ denied: z.string(), detail: z.string().optional() }),
  /** it gives the grant back */
  z.strictObject({ regrant: z.string() }),
]);

const step = z.union([
  z.strictObject({ response }),
  /** of every granted call that has no result yet, by its tool */
  z.strictObject({ results: z.record(z.string(), result) }),
  /** a person says what became of the unknown calls of these tools, and the executors keep it */
  z.strictObject({ resolved: z.array(z.string()) }),
  /** the validator reloads the case's policy */
  z.strictObject({ policy: z.string() }),
  z.strictObject({ now: z.enum(["after the deadline", "after the approval"]) }),
]);

const turnCase = z.strictObject({
  about: z.string(),
  family: z.enum(FAMILIES).default("responses"),
  /** whether contract reports vouch for the route */
  verified: z.boolean().default(true),
  /** text of a policy of the case's own, which its spec then names `case` */
  policy: z.string().optional(),
  spec: z.record(z.string(), z.json()).default({}),
  steps: z.array(step).min(1),
  expected: z.json(),
});

export type TurnCase = z.infer<typeof turnCase>;
export type TurnStep = TurnCase["steps"][number];
export type CaseItem = z.infer<typeof item>;
export type CaseResponse = z.infer<typeof response>;
export type CaseResult = z.infer<typeof result>;

/** Every file of fixtures/turns by its name. */
export function turnCases(): readonly (readonly [name: string, given: TurnCase])[] {
  const folder = path.join(ROOT, "fixtures/turns");
  return readdirSync(folder)
    .filter((file) => file.endsWith(".yaml"))
    .toSorted()
    .map((file) => {
      const parsed = turnCase.safeParse(parse(readFileSync(path.join(folder, file), "utf8")));
      if (!parsed.success) throw new Error(`${file}: ${z.prettifyError(parsed.error)}`);
      return [file.replace(/\.yaml$/, ""), parsed.data] as const;
    });
}
