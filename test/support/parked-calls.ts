import { Queue } from "bullmq";
import { executionBodySchema, type ExecutionBody, type RunEvent } from "@airlock/core/contract";
import { consume, DONE, queuePrefix, readNotice, type Consumer } from "@airlock/core/queue";
import { readCall, type CallHash } from "@airlock/core/run";
import { globalKeys, readEvent, runKeys, type Redis } from "@airlock/core/store";
import { answerCall, type Answer, type AnswerResult } from "@airlock/operator/order";
import { vi } from "vitest";
import { onAsk } from "../../services/validator/src/approval/on-ask.ts";
import { openTurns, type Played } from "./play-turns.ts";
import type { TestValidator } from "./test-validator.ts";

/** A policy in which writes wait for people. */
export function asking(options: { readonly quorum?: number; readonly rules?: string } = {}): string {
  return `apiVersion: airlock.policy/v1
mode: enforce
paths: { read: { allow: ["**"] }, write: { allow: ["**"] } }
rules:
  - { id: ask, decision: approve, tool: write_file, approve: { risk: high, ttl: 10m, quorum: ${options.quorum ?? 1} }, reason: a person looks at writes }
${options.rules ?? ""}`;
}

const RESPONSE = { errorClass: null, outputTokens: null, httpStatus: 200, stopSequence: null } as const;

/** Calls that wait for people, with the queue that they are parked on, as a queue UI sees it. */
export interface ParkedCalls {
  readonly queue: Queue;
  /** A run with calls of write_file that wait; their item keys. */
  open(policy?: string, calls?: number): Promise<readonly [string, ...string[]]>;
  /** The same with hosted tools' requests, each by its name. */
  openHosted(policy: string, names: readonly string[]): Promise<readonly [string, ...string[]]>;
  played(): Played;
  call(itemKey: string): Promise<CallHash>;
  answer(itemKey: string, answer: Partial<Answer> & { readonly nonce?: string }): Promise<AnswerResult>;
  /** Resolves with the call once it fits. */
  until(itemKey: string, fits: (call: CallHash) => boolean): Promise<CallHash>;
  grantOf(itemKey: string): Promise<ExecutionBody | null>;
  events(itemKey: string): Promise<readonly RunEvent[]>;
  notices(): Promise<readonly string[]>;
  /** Has the validator consume the queue; without this nothing that is promoted is looked at. */
  consume(): void;
  close(): Promise<void>;
}

export function openParkedCalls(redis: Redis, validator: TestValidator): ParkedCalls {
  const queue = new Queue("approvals", { connection: redis, prefix: queuePrefix("approvals") });
  const opened: Played[] = [];
  const consumers: Consumer[] = [];
  const call = async (itemKey: string): Promise<CallHash> => {
    const found = await readCall(redis, itemKey);
    if (found === null) throw new Error(`no call ${itemKey}`);
    return found;
  };
  return {
    queue,
    call,
    async open(policy = asking(), calls = 1) {
      const played = await openTurns(validator, redis, {
        family: "responses",
        verified: true,
        policy,
        spec: {},
      });
      opened.push(played);
      const items = Array.from({ length: calls }, (_, at) => ({
        tool: "write_file",
        arguments: { path: `src/${at}.js`, content: "x\n" },
        quarantined: null,
      }));
      await played.step({ response: { ...RESPONSE, outcome: "tool", items } });
      const [first = "", ...rest] = items.map((_, at) => `${played.run}.1.1.${at}`);
      return [first, ...rest];
    },
    async openHosted(policy, names) {
      const given = { family: "responses", verified: true, policy, spec: {} } as const;
      const played = await openTurns(validator, redis, given);
      opened.push(played);
      const items = names.map((hosted) => ({ hosted, server: "shop", arguments: '{"order":7}' }));
      await played.step({ response: { ...RESPONSE, outcome: "approve", items } });
      const [first = "", ...rest] = items.map((_, at) => `${played.run}.1.1.${at}`);
      return [first, ...rest];
    },
    played() {
      const last = opened.at(-1);
      if (last === undefined) throw new Error("no run is open");
      return last;
    },
    answer(itemKey, said) {
      const { console: keyring, approver } = validator.keyrings;
      const least = { answer: "approve", approver: "ana", reason: "looked at it" } as const;
      return answerCall({ redis, keyring, approver }, { itemKey, ...least, ...said });
    },
    until: (itemKey, fits) =>
      vi.waitFor(
        async () => {
          const found = await call(itemKey);
          if (!fits(found))
            throw new Error(`${itemKey} is ${found.settled ?? found.state} ${found.errorClass ?? ""}`);
          return found;
        },
        { timeout: 20_000, interval: 10 },
      ),
    async grantOf(itemKey) {
      const { grantRecord } = await call(itemKey);
      if (grantRecord === undefined) return null;
      const { body } = JSON.parse(grantRecord) as { body: string };
      return executionBodySchema.parse(JSON.parse(body));
    },
    async events(itemKey) {
      const entries = await redis.xrange(runKeys(itemKey.split(".")[0] ?? "").events, "-", "+");
      return entries.flatMap(([, fields]) => readEvent(fields) ?? []);
    },
    async notices() {
      const entries = await redis.xrange(globalKeys.feed, "-", "+");
      return entries.flatMap(([, fields]) => {
        const notice = readNotice(fields);
        if (notice === null) return [];
        return ["answer" in notice ? `${notice.type} ${notice.answer} ${notice.by.join()}` : notice.type];
      });
    },
    consume() {
      const handlers = { ask: (delivery: Parameters<typeof onAsk>[1]) => onAsk(validator.deps, delivery) };
      const options = { pool: "", concurrency: 4, lockMs: 60_000, stalledMs: 60_000, onEvent: () => DONE };
      consumers.push(
        consume({ redis, keyring: validator.deps.keyring }, { family: "approvals", handlers }, options),
      );
    },
    async close() {
      for (const consumer of consumers) await consumer.close(1_000);
      for (const played of opened) await played.close();
      await queue.obliterate({ force: true });
      await queue.close();
    },
  };
}
