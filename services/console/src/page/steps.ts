// A run's events in, of each item the states that it went through with their times out, and what concerns the run as a whole.
import type { RunEvent } from "@airlock/core/contract";
import type { TimedEvent } from "@airlock/operator/follow";

export interface Step {
  readonly state: string;
  readonly at: string;
  /** what the event says besides */
  readonly rule: string | null;
  readonly errorClass: string | null;
}

export interface Story {
  readonly steps: ReadonlyMap<string, readonly Step[]>;
  readonly moments: readonly TimedEvent[];
}

export function storyOf(events: readonly TimedEvent[]): Story {
  const steps = new Map<string, Step[]>();
  const moments: TimedEvent[] = [];
  for (const timed of events) {
    const { event, at } = timed;
    if (event.type !== "item_state") {
      moments.push(timed);
      continue;
    }
    const own = steps.get(event.itemKey) ?? [];
    own.push({ state: event.state, at, rule: event.rule, errorClass: event.errorClass });
    steps.set(event.itemKey, own);
  }
  return { steps, moments };
}

/** What an event says but for its type, in its own words: `turn 1 · attempt 2`. */
export function detailsOf(event: RunEvent): string {
  return Object.entries(event)
    .filter(([name, value]) => name !== "type" && value !== null && value !== "")
    .map(([name, value]) => `${name} ${Array.isArray(value) ? value.join(", ") : String(value)}`)
    .join(" · ");
}
