import { z } from "zod";
import { noticeSchema, type Notice } from "@airlock/core/contract";
import { RISKS } from "@airlock/core/policy";
import type { Webhook } from "./webhooks.ts";

/** What a webhook may ask for. */
export const EVENT_TYPES = [
  "approval_requested",
  "approval_expiring",
  "approval_decided",
  "run_ended",
  "outcome_unknown",
  "route_suspended",
] as const satisfies readonly (Notice["type"] | "approval_expiring")[];
export type EventType = (typeof EVENT_TYPES)[number];

/** Nobody's notice: the console itself sees that the time of a question runs out. */
const expiringSchema = z.strictObject({
  type: z.literal("approval_expiring"),
  run: z.string(),
  itemKey: z.string(),
  tool: z.string(),
  risk: z.enum(RISKS),
  /** in milliseconds of Redis' clock */
  expiresAt: z.int().min(0).max(8.64e15),
});

/** A notice with what all of its deliveries share. */
export const eventSchema = z.strictObject({
  /** the same for every attempt and every reading, so that a receiver can tell what it has had */
  id: z.string(),
  at: z.iso.datetime(),
  labels: z.record(z.string(), z.string()),
  notice: z.union([noticeSchema, expiringSchema]),
});
export type NotifiedEvent = z.infer<typeof eventSchema>;

/** Whether the webhook asked for it; one with labels hears of nothing that has no run. */
export function wants({ events, labels }: Webhook, { notice, labels: own }: NotifiedEvent): boolean {
  return (
    events.includes(notice.type) &&
    Object.entries(labels).every(([name, value]) => Object.hasOwn(own, name) && own[name] === value)
  );
}
