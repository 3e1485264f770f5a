import type { ErrorClass } from "@airlock/core/fault";
import type { ResponseReading, TransportEnd } from "@airlock/core/terminal";
import { INDETERMINATE } from "@airlock/core/wire";

/** The reading of a response of which nothing was or could be read: it has no item and no outcome. */
export function unreadResponse(errorClass: ErrorClass, end: TransportEnd): ResponseReading {
  return {
    responseId: null,
    raw: null,
    outcome: INDETERMINATE,
    errorClass,
    items: [],
    outputItems: [],
    outputText: "",
    usage: null,
    transport: { end, bytes: 0, messages: 0, unknownEvents: 0 },
  };
}
