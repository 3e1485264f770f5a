import type { TimedEvent } from "@airlock/operator/follow";
import type { Backend } from "../backend/index.ts";
import { eventLine, type Screen } from "../view/index.ts";
import { DATA_FLAG, JSON_FLAG, type Command } from "./command.ts";
import { watchInterrupts } from "./interrupt.ts";
import { withBackend } from "./with-backend.ts";

export const eventsCommand: Command = {
  summary: "shows what happened in a run: identifiers, states and decisions, never content",
  positional: { name: "RUN", required: true },
  flags: {
    follow: { value: null, doc: "go on until the run has ended" },
    json: { ...JSON_FLAG, doc: "print one JSON list; with --follow, it is closed at the end" },
    data: DATA_FLAG,
  },
  async run(call, context) {
    const id = call.positional ?? "";
    return withBackend(call, context, async (backend) => {
      const events = call.on("follow") ? followed(backend, id) : await backend.events(id);
      await (call.on("json") ? printList(context.out, events) : printLines(context.out, events));
      return 0;
    });
  },
};

type Events = readonly TimedEvent[] | AsyncIterable<TimedEvent>;

/** Ends at the run's end, or at an interrupt. */
async function* followed(backend: Backend, id: string): AsyncGenerator<TimedEvent, void> {
  const interrupts = watchInterrupts();
  try {
    yield* backend.follow(id, interrupts.first);
  } finally {
    interrupts.stop();
  }
}

async function printLines(out: Screen, events: Events): Promise<void> {
  for await (const { at, event } of events) out.print(`${out.style("dim", at)}  ${eventLine(out, event)}`);
}

/** One element a line, each as soon as it is there; together they are one JSON document. */
async function printList(out: Screen, events: Events): Promise<void> {
  let before = "[\n";
  for await (const { at, event } of events) {
    out.write(`${before}${JSON.stringify({ at, ...event })}`);
    before = ",\n";
  }
  out.print(before === "[\n" ? "[]" : "\n]");
}
