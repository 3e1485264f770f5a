// Takes the lines of an event stream that are no field, gives the JSON that stands in them as one message; gives what
// begins like JSON and is none as it is, so that nobody takes it for nothing.
import type { SseMessage } from "./sse.ts";

/** An object or a list; a marker outside its field is none. */
const JSON_START = /^\s*(?:\{|\[(?!DONE\]))/;
const JSON_END = /[}\]]\s*$/;
/** Proxies write an error in a line or in a few: whatever is longer is given in pieces, which are no JSON. */
const MAX_LINES = 64;

export interface BareJson {
  take(line: string): void;
  /** Gives what is held: something else follows, or nothing. */
  flush(): void;
  readonly isHolding: boolean;
}

export function createBareJson(queue: SseMessage[]): BareJson {
  let held: string[] = [];

  function flush(): void {
    if (held.length === 0) return;
    queue.push({ event: null, data: held.join("\n"), bare: true });
    held = [];
  }

  return {
    take(line) {
      if (held.length === 0 && !JSON_START.test(line)) return;
      held.push(line);
      if (held.length === MAX_LINES || (JSON_END.test(line) && isJson(held.join("\n")))) flush();
    },
    flush,
    get isHolding() {
      return held.length > 0;
    },
  };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    // More of it may follow.
    return false;
  }
}
