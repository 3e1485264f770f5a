import type { z } from "zod";
import {
  askBodySchema,
  commandBodySchema,
  executionBodySchema,
  itemBodySchema,
  previewBodySchema,
  resolutionBodySchema,
  responseBodySchema,
  resultBodySchema,
  turnBodySchema,
} from "../contract/index.ts";
import { assertNever } from "../fault/index.ts";
import { attemptKey, itemKey, responseKey, signersOf, type Purpose, type Role } from "../record/index.ts";

/** Every queue: who consumes it, and which signed records travel on it. docs/data-flow.md shows this table. */
export const QUEUES = {
  commands: { consumer: "validator", purposes: ["command"] },
  turns: { consumer: "streamer", purposes: ["turn"] },
  items: { consumer: "validator", purposes: ["item", "response"] },
  approvals: { consumer: "validator", purposes: ["ask"] },
  executions: { consumer: "executor", purposes: ["execution", "resolution", "preview"] },
  results: { consumer: "validator", purposes: ["result"] },
} as const satisfies Record<string, { readonly consumer: Role; readonly purposes: readonly Purpose[] }>;

/** The console's own queue of what it tells webhooks, one part for each: `notifications.<webhook>`. Nothing on it decides anything. */
export const NOTIFICATIONS = "notifications";

export type QueueFamily = keyof typeof QUEUES;

export const BODIES = {
  command: commandBodySchema,
  turn: turnBodySchema,
  item: itemBodySchema,
  response: responseBodySchema,
  ask: askBodySchema,
  execution: executionBodySchema,
  resolution: resolutionBodySchema,
  preview: previewBodySchema,
  result: resultBodySchema,
} as const satisfies Partial<Record<Purpose, z.ZodType>>;

export type MessagePurpose = keyof typeof BODIES;
export type BodyOf<P extends MessagePurpose> = z.infer<(typeof BODIES)[P]>;
export type Message = {
  readonly [P in MessagePurpose]: { readonly purpose: P; readonly body: BodyOf<P> };
}[MessagePurpose];

/** The roles that may add to a queue: those whose signature its records need. */
export function producersOf(family: QueueFamily): readonly Role[] {
  return [...new Set(QUEUES[family].purposes.flatMap(signersOf))];
}

/** `executions` has one queue for each pool of executors; every other family has one. */
export function queueName(family: QueueFamily, pool: string): string {
  return family === "executions" ? `executions.${pool}` : family;
}

/** Each queue has a hash tag of its own, so that a cluster may lay them apart. */
export function queuePrefix(name: string): string {
  return `{airlock:${name}}`;
}

/** Several people may act on one run at a time, and each is to be answered. */
function commandId(body: BodyOf<"command">): string {
  const { kind } = body;
  if (!("run" in body)) return `${kind}.${body.id}`;
  return "id" in body ? `${body.run}.${kind}.${body.id}` : `${body.run}.${kind}`;
}

/** A person's finding is answered under its command's id: it belongs to no grant. */
function resultId(body: BodyOf<"result">): string {
  const { itemKey: item, kind } = body;
  return kind === "resolved" ? `${item}.${body.id}.${kind}` : `${item}.${body.grant}.${body.fence}.${kind}`;
}

/** Where a message belongs, derived from its body alone: a job in another place is refused. */
export function addressOf(message: Message): { readonly queue: string; readonly jobId: string } {
  switch (message.purpose) {
    case "command":
      return { queue: "commands", jobId: commandId(message.body) };
    case "turn":
      return { queue: "turns", jobId: attemptKey(message.body) };
    case "item":
      return { queue: "items", jobId: itemKey(message.body) };
    case "response":
      return { queue: "items", jobId: responseKey(message.body) };
    case "ask":
      return { queue: "approvals", jobId: `${message.body.itemKey}.${message.body.request}` };
    case "execution":
      return {
        queue: queueName("executions", message.body.pool),
        jobId: `${message.body.itemKey}.${message.body.grant}`,
      };
    case "resolution":
      return {
        queue: queueName("executions", message.body.pool),
        jobId: `${message.body.itemKey}.${message.body.id}`,
      };
    case "preview":
      return {
        queue: queueName("executions", message.body.pool),
        jobId: `${message.body.itemKey}.${message.body.nonce}`,
      };
    case "result":
      return { queue: "results", jobId: resultId(message.body) };
    default:
      return assertNever(message);
  }
}
