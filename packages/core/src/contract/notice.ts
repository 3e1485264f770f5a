import { z } from "zod";
import { RISKS } from "../policy/index.ts";
import { isRunId, parseItemKey } from "../record/index.ts";
import { errorClass } from "./version.ts";

/** What a date can be. */
const LATEST_MS = 8.64e15;

const run = z.string().refine(isRunId, "not a run id");
const call = {
  run,
  itemKey: z.string().refine((text) => parseItemKey(text) !== null, "not an item key"),
  tool: z.string(),
};

/**
 * What people want to hear of, over all runs: the entries of `airlock:feed`. Each is told at least once; identifiers,
 * classes and decisions only, as in a run's events, and the labels that its submitter gave it.
 */
export const noticeSchema = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("approval_requested"),
    ...call,
    risk: z.enum(RISKS),
    /** in milliseconds of Redis' clock */
    expiresAt: z.int().min(0).max(LATEST_MS),
  }),
  z.strictObject({
    type: z.literal("approval_decided"),
    ...call,
    answer: z.enum(["approved", "denied", "expired"]),
    /** who approved or denied; empty where the clock did, or where the job was removed */
    by: z.array(z.string()),
  }),
  z.strictObject({
    type: z.literal("run_ended"),
    run,
    state: z.string(),
    errorClass: errorClass.nullable(),
    labels: z.record(z.string(), z.string()),
  }),
  z.strictObject({ type: z.literal("outcome_unknown"), ...call }),
  z.strictObject({ type: z.literal("route_suspended"), route: z.string() }),
]);
export type Notice = z.infer<typeof noticeSchema>;
