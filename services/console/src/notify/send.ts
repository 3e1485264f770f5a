import { Agent } from "undici";
import type { Webhook } from "./webhooks.ts";
import { signatureHeaders } from "./message.ts";
import { retryAfterMs } from "./retry.ts";

/** How much of an answer is read, to use its connection again; nothing of it is looked at. */
const ANSWER_BYTES = 4_096;

export type Sent =
  | { readonly kind: "delivered"; readonly status: number }
  /** the receiver said so for good: a redirect, or an error that is the request's own */
  | { readonly kind: "refused"; readonly status: number }
  /** worth another attempt; without a status nobody answered */
  | { readonly kind: "failed"; readonly status: number | null; readonly waitMs: number | null };

export interface Sender {
  send(webhook: Webhook, message: { readonly id: string; readonly text: string }): Promise<Sent>;
  close(): Promise<void>;
}

/** A client error says that the request is wrong, and so would the next be, but for these. */
const PASSING: ReadonlySet<number> = new Set([408, 425, 429]);

export function createSender({ timeoutMs }: { readonly timeoutMs: number }): Sender {
  const agent = new Agent({
    connect: { timeout: timeoutMs },
    headersTimeout: timeoutMs,
    maxHeaderSize: 16_384,
  });
  return {
    async send(webhook, { id, text }) {
      const { origin, pathname, search } = new URL(webhook.url);
      const signal = AbortSignal.timeout(timeoutMs);
      try {
        const answer = await agent.request({
          origin,
          path: `${pathname}${search}`,
          method: "POST",
          headers: {
            "content-type": "application/json",
            "user-agent": "airlock-console",
            "airlock-delivery": id,
            ...signatureHeaders(text, { secret: webhook.secret, sentAt: new Date() }),
          },
          body: text,
          signal,
        });
        // the status has been given: an answer that goes on, or hangs, changes nothing of it
        await answer.body.dump({ limit: ANSWER_BYTES, signal }).catch(() => undefined);
        return sentAs(answer.statusCode, retryAfterMs(answer.headers["retry-after"], Date.now()));
      } catch {
        // errors of the network may quote the address, which may be a secret
        return { kind: "failed", status: null, waitMs: null };
      }
    },
    close: () => agent.destroy(),
  };
}

function sentAs(status: number, waitMs: number | null): Sent {
  if (status >= 200 && status < 300) return { kind: "delivered", status };
  return status >= 500 || PASSING.has(status)
    ? { kind: "failed", status, waitMs }
    : { kind: "refused", status };
}
