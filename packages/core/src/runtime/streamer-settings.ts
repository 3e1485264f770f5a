import { z } from "zod";
import type { Setting } from "./setting.ts";

const MIB = 1024 * 1024;
const bytes = z.coerce
  .number()
  .int()
  .min(1)
  .max(1024 * MIB);

/** How much of one response is read. What is larger is quarantined with a class of its own. */
export const STREAMER_SETTINGS = {
  maxMessageBytes: {
    env: "AIRLOCK_MAX_MESSAGE_BYTES",
    schema: bytes,
    fallback: "16777216",
    readers: ["streamer"],
    doc: "bytes of one message of a stream; more is MESSAGE_TOO_LARGE",
  },
  maxStreamBytes: {
    env: "AIRLOCK_MAX_STREAM_BYTES",
    schema: bytes,
    fallback: "67108864",
    readers: ["streamer"],
    doc: "bytes of one response; more is STREAM_TOO_LARGE",
  },
  maxArgumentBytes: {
    env: "AIRLOCK_MAX_ARGUMENT_BYTES",
    schema: bytes,
    fallback: "1048576",
    readers: ["streamer"],
    doc: "bytes of one call's arguments; more is ARGUMENTS_TOO_LARGE",
  },
  maxItems: {
    env: "AIRLOCK_MAX_ITEMS",
    schema: z.coerce.number().int().min(1).max(10_000),
    fallback: "128",
    readers: ["streamer"],
    doc: "items of one response; more is TOO_MANY_ITEMS",
  },
} as const satisfies Record<string, Setting>;
