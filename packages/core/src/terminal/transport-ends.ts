import type { ErrorClass } from "../fault/index.ts";

/**
 * Every way in which the bytes of a response can end, and why a response that ended so has no outcome. Only
 * `closed_by_marker` allows one: the closing event was read, whatever happened to the connection afterwards.
 */
export const TRANSPORT_ENDS = {
  bad_content_type: "BAD_CONTENT_TYPE",
  bad_utf8: "BAD_UTF8",
  cancelled: "CANCELLED",
  clean: "STREAM_TRUNCATED",
  closed_by_marker: null,
  connect_error: "CONNECT_ERROR",
  connect_timeout: "CONNECT_TIMEOUT",
  first_byte_timeout: "FIRST_BYTE_TIMEOUT",
  http_error: "HTTP_ERROR",
  idle_timeout: "IDLE_TIMEOUT",
  message_overflow: "MESSAGE_TOO_LARGE",
  mid_event: "STREAM_TRUNCATED",
  mid_line: "STREAM_TRUNCATED",
  reset: "STREAM_RESET",
  run_timeout: "DEADLINE_EXCEEDED",
  shutdown: "STREAMER_STOPPED",
  stream_overflow: "STREAM_TOO_LARGE",
  total_timeout: "TOTAL_TIMEOUT",
} as const satisfies Record<string, ErrorClass | null>;

export type TransportEnd = keyof typeof TRANSPORT_ENDS;
