// Takes calls that are whole by their own signal while the response still goes on, gives their signed records on the
// items queue; refuses all from the first call on that isn't a `read` tool of the turn, so that no order is broken.
import type { TurnBody } from "@airlock/core/contract";
import { itemKey } from "@airlock/core/record";
import { errorFields } from "@airlock/core/runtime";
import type { TerminalItem } from "@airlock/core/terminal";
import { ADAPTERS } from "@airlock/core/wire";
import type { Deps } from "../deps.ts";
import { describeItem, terminalEvent, type EarlyItem, type Keeping } from "./describe-item.ts";

export interface EarlyItems {
  readonly onItem: (item: TerminalItem) => void;
  /** What was told early, by ordinal: once all of it is stored and published. */
  settled(): Promise<ReadonlyMap<number, EarlyItem>>;
}

type EarlyDeps = Pick<Deps, "keyring" | "catalog" | "store" | "publisher" | "log" | "owner" | "routes">;

/** What is told early is whole: nothing of it is set aside. */
const WHOLE: Keeping = { rawMs: 0, keepsText: true };

/** Null on a route whose boundary is the response. */
export function createEarlyItems(deps: EarlyDeps, turn: TurnBody): EarlyItems | null {
  const route = deps.routes.get(turn.route);
  if (route?.boundary !== "item") return null;
  const adapter = ADAPTERS[route.family].version;
  const { run, turn: number, attempt } = turn;
  const head = { version: 1, run, turn: number, attempt } as const;
  const offered = new Set(turn.tools.map(({ name }) => name));
  const told = new Map<number, EarlyItem>();
  let reading = true;
  let telling = Promise.resolve();

  function isRead(name: string | null): boolean {
    return name !== null && offered.has(name) && deps.catalog.get(name)?.effect === "read";
  }

  async function tellAfter(earlier: Promise<void>, item: EarlyItem): Promise<void> {
    await earlier;
    try {
      if (await tell(deps, item)) told.set(item.item.ordinal, item);
    } catch (error) {
      // nothing depends on it: the response's end tells of every item
      deps.log.write("warn", "handler_failed", { place: "early-items", run, ...errorFields(error) });
    }
  }

  return {
    onItem(item) {
      reading &&= isRead(item.name);
      if (!reading) return;
      const described = describeItem(deps, head, { item, early: { adapter }, keeping: WHOLE });
      telling = tellAfter(telling, { ...described, item, adapter });
    },
    async settled() {
      await telling;
      return told;
    },
  };
}

/** Stores, then publishes; false where the attempt is not this streamer's any more. */
async function tell(
  deps: EarlyDeps,
  { body, content }: Pick<EarlyItem, "body" | "content">,
): Promise<boolean> {
  const record = deps.publisher.sign({ purpose: "item", body });
  const stored = await deps.store.storeEarly(body, {
    owner: deps.owner,
    itemKey: itemKey(body),
    record: JSON.stringify(record),
    content: content ?? "",
    items: body.ordinal + 1,
    events: [terminalEvent(body)],
  });
  if (stored) await deps.publisher.publish(record);
  return stored;
}
