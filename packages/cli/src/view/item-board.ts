import type { RunEvent } from "@airlock/core/contract";
import { eventLine, itemLine } from "./event-line.ts";
import type { Screen } from "./screen.ts";
import { hasEnded } from "./states.ts";
import { cutLine } from "./table.ts";

type ItemEvent = Extract<RunEvent, { type: "item_state" }>;
interface Seen {
  readonly event: ItemEvent;
  readonly path: readonly string[];
}

/** After these, the items that are still on the board get no further. */
const ENDS_ITEMS = new Set<RunEvent["type"]>(["attempt_opened", "turn_closed", "run_ended"]);

interface ItemBoard {
  show(event: RunEvent): void;
  /** A line that stays, above what stands on the board. */
  note(line: string): void;
  /** Leaves what stands on the board as plain lines. */
  close(): void;
}

/**
 * Shows a run's events as they come. On a terminal an item has one line that grows with its states until it ends;
 * elsewhere each new state is a line of its own.
 */
export function createItemBoard(screen: Screen): ItemBoard {
  const items = new Map<string, Seen>();
  let open: readonly string[] = [];
  let drawn = 0;
  const draw = (lines: readonly string[]): void => {
    if (drawn > 0) screen.write(`\u001b[${drawn}A\u001b[0J`);
    for (const line of lines) screen.print(line);
    const live = open.flatMap((key) => lineOf(screen, items.get(key)));
    for (const line of live) screen.print(cutLine(line, screen.columns()));
    drawn = live.length;
  };
  const leave = (keys: readonly string[]): readonly string[] => {
    open = open.filter((key) => !keys.includes(key));
    return keys.flatMap((key) => lineOf(screen, items.get(key)));
  };
  return {
    show(event) {
      if (event.type !== "item_state") {
        const over = ENDS_ITEMS.has(event.type) ? open : [];
        return draw([...leave(over), eventLine(screen, event)]);
      }
      const before = items.get(event.itemKey);
      // only the validator says which tool it is
      const named = { ...event, tool: event.tool ?? before?.event.tool ?? null };
      const repeated = before?.path.at(-1) === event.state;
      const seen = { event: named, path: [...(before?.path ?? []), ...(repeated ? [] : [event.state])] };
      items.set(event.itemKey, seen);
      if (!screen.terminal) return screen.print(itemLine(screen, named, seen.path.slice(repeated ? -1 : -2)));
      const ended = hasEnded(event.state) && named.tool !== null;
      if (!open.includes(event.itemKey)) open = [...open, event.itemKey];
      draw(ended ? leave([event.itemKey]) : []);
    },
    note: (line) => draw([line]),
    close: () => draw(leave(open)),
  };
}

function lineOf(screen: Screen, seen: Seen | undefined): readonly string[] {
  return seen === undefined ? [] : [itemLine(screen, seen.event, seen.path)];
}
