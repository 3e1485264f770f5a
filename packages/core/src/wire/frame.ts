import type { ErrorClass } from "../fault/index.ts";
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "../json/index.ts";
import type { WireEvent } from "./events.ts";
import { object, objects, text } from "./fields.ts";
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
  const isNamedError = isErrorType(wireType);
  const isIdle = trimmed === "" || (trimmed === DONE && !message.bare);
  if (isIdle && !isNamedError) return { status: "idle" };
  const data = parseFrameJson(trimmed);
  const error = data === undefined ? null : bodyError(data);
  if (error !== null) return { status: "error", error };
  if (isNamedError) return { status: "error", error: namedError(data === undefined ? trimmed : data) };
  if (message.bare) return fault(wireType, "bare_json_line");
  if (data === undefined) return fault(wireType, "invalid_json");
  // Errors may come as a list; nothing else does.
  if (isJsonArray(data)) return fault(wireType, "array_frame");
  if (!isJsonObject(data)) return { status: "unknown" };
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

/** The error that a frame or a whole body is, or that stands in the list that it is; null where there is none. */
export function bodyError(body: JsonValue): WireEvent | null {
  const data = objects(isJsonArray(body) ? body : [body]).find((each) => reportsError(each));
  return data === undefined ? null : readError(data);
}

function fault(wireType: string, code: string): FrameReading {
  return { status: "error", error: frameError(wireType, code, "STREAM_MALFORMED") };
}

/**
 * Wire frames and values within them only: the arguments of a call are a string inside the frame and stay one.
 * Undefined for what is no JSON.
 */
export function parseFrameJson(data: string): JsonValue | undefined {
  try {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- JSON.parse gives nothing else
    return JSON.parse(data) as JsonValue;
  } catch {
    // The caller reports it.
    return undefined;
  }
}

function reportsError(data: JsonObject): boolean {
  const error = data["error"] ?? null;
  return error !== null || isErrorType(text(data["type"]) ?? "") || data["object"] === "error";
}

/** `error`, or a family's own such as `response.error`. */
function isErrorType(wireType: string): boolean {
  return wireType === "error" || wireType.endsWith(".error");
}

/** What is named an error is one, whatever its data. */
function namedError(data: JsonValue): WireEvent {
  return readError(object(data) ?? { message: data });
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
