// Takes the parts of one response that hold no call, gives one item per run of plain text and one per other part;
// a part with a signature is never joined with another, since its signature belongs to exactly that part.
import type { JsonObject } from "../../json/index.ts";
import type { ItemKind, WireEvent } from "../events.ts";
import { partFacts } from "./parts.ts";
import { CHUNK } from "./wire-types.ts";

export interface TextRuns {
  read(part: JsonObject, kind: Exclude<ItemKind, "tool_call">): readonly WireEvent[];
  /** Ends the run that is still open: a call follows, or nothing more. */
  close(): readonly WireEvent[];
}

interface Run {
  readonly slot: string;
  readonly first: JsonObject;
  readonly kind: ItemKind;
  readonly pieces: string[];
}

export function createTextRuns(): TextRuns {
  let open: Run | null = null;
  let slots = 0;

  function close(): readonly WireEvent[] {
    if (open === null) return [];
    const { slot, first, kind, pieces } = open;
    const raw = { ...first, text: pieces.join("") };
    open = null;
    return [{ type: "item_finished", wireType: CHUNK, slot, raw, ...partFacts(raw, kind) }];
  }

  function start(part: JsonObject, kind: ItemKind): { readonly run: Run; readonly events: WireEvent[] } {
    slots += 1;
    const slot = `part:${slots}`;
    const { callId, name, argumentsKind } = partFacts(part, kind);
    const run = { slot, first: part, kind, pieces: [] };
    return {
      run,
      events: [{ type: "item_started", wireType: CHUNK, slot, kind, callId, name, argumentsKind }],
    };
  }

  return {
    read(part, kind) {
      const text = part["text"];
      if (typeof text === "string" && isPlain(part)) {
        const ending = open?.kind === kind ? [] : close();
        const started = open === null ? start(part, kind) : { run: open, events: [] };
        open = started.run;
        open.pieces.push(text);
        return [...ending, ...started.events, ...delta(open.slot, kind, text)];
      }
      const ending = close();
      const { run, events } = start(part, kind);
      const finished = { type: "item_finished", wireType: CHUNK, slot: run.slot, raw: part } as const;
      const shown = typeof text === "string" ? delta(run.slot, kind, text) : [];
      return [...ending, ...events, ...shown, { ...finished, ...partFacts(part, kind) }];
    },
    close,
  };
}

function isPlain(part: JsonObject): boolean {
  return Object.keys(part).every((field) => field === "text" || field === "thought");
}

function delta(slot: string, kind: ItemKind, text: string): readonly WireEvent[] {
  return kind === "message" && text !== "" ? [{ type: "text_delta", wireType: CHUNK, slot, text }] : [];
}
