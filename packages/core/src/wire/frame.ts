import type { ErrorClass } from "../fault/index.ts";
import { isJsonArray, type JsonObject, type JsonValue } from "../json/index.ts";
import type { WireEvent } from "./events.ts";
import { object, text } from "./fields.ts";
import type { SseMessage } from "./sse.ts";

export interface Frame {
  /** The type in the data, or else the `event:` line; empty where there is neither. */
  readonly wireType: string;
  readonly data: JsonObject;
}

export type FrameReading =
  | { readonly status: "frame"; readonly frame: Frame }
  /** Heartbeats and the `[DONE]` that gateways append: not part of the protocol, and never a signal. */
  | { readonly status: "idle" }
  | { readonly status: "unknown" }
  | { readonly status: "error"; readonly error: WireEvent };

const DONE = "[DONE]";

/** Reads the envelope of one message: its JSON, its type, and whether it reports an error. */
export function readFrame(message: SseMessage): FrameReading {
  const wireType = message.event ?? "";
  const trimmed = message.data.trim();
  if (trimmed === "" || (trimmed === DONE && !message.bare)) return { status: "idle" };
  const data = parseFrameJson(trimmed);
  if (typeof data === "object" && reportsError(data, wireType)) {
    return { status: "error", error: readError(data) };
  }
  if (message.bare) return fault(wireType, "bare_json_line");
  if (data === "no_json") return fault(wireType, "invalid_json");
  if (data === "no_object") return { status: "unknown" };
  const dataType = text(data["type"]);
  if (dataType !== null && message.event !== null && dataType !== message.event) {
    return fault(wireType, "event_type_mismatch");
  }
  return { status: "frame", frame: { wireType: message.event ?? dataType ?? "", data } };
}

/** Exactly `[DONE]`, whatever spaces stand around it. */
export function isDone(message: SseMessage): boolean {
  return !message.bare && message.data.trim() === DONE;
}

export function frameError(wireType: string, code: string, errorClass: ErrorClass): WireEvent {
  return { type: "stream_error", wireType, code, message: null, errorClass };
}

/** The error that stands where a whole JSON response was expected; null where the body is not one. */
export function bodyError(body: JsonValue): WireEvent | null {
  const data = object(isJsonArray(body) ? body[0] : body);
  return data !== null && reportsError(data, "") ? readError(data) : null;
}

function fault(wireType: string, code: string): FrameReading {
  return { status: "error", error: frameError(wireType, code, "STREAM_MALFORMED") };
}

/** Wire frames only: the arguments of a call are a string inside the frame and stay one. */
function parseFrameJson(data: string): JsonObject | "no_object" | "no_json" {
  try {
    const value: unknown = JSON.parse(data);
    return isObject(value) ? value : "no_object";
  } catch {
    // The caller reports it.
    return "no_json";
  }
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function reportsError(data: JsonObject, wireType: string): boolean {
  const error = data["error"] ?? null;
  return error !== null || data["type"] === "error" || data["object"] === "error" || wireType === "error";
}

/** The error is flat in the frame, an object under `error`, or a bare text there: all three are real. */
export function readError(data: JsonObject): WireEvent {
  const nested = data["error"];
  const source = object(nested) ?? data;
  return {
    type: "stream_error",
    wireType: text(data["type"]) ?? "error",
    code: errorCode(source["code"]) ?? (source === data ? null : text(source["type"])),
    message: text(source["message"]) ?? text(nested),
    errorClass: "PROVIDER_ERROR",
  };
}

/** Some providers count their codes. */
function errorCode(value: JsonValue | undefined): string | null {
  return typeof value === "number" ? String(value) : text(value);
}
