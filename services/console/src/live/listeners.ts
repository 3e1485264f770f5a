// What a page wants to hear of in, an open event stream out; refuses more of them than the console can bear.
import type { FastifyReply } from "fastify";
import type { Deps } from "../deps.ts";
import { whileSession } from "../session/index.ts";
import { createStreamWatch } from "./stream-watch.ts";

const MOST_LISTENERS = 500;
const BEAT_MS = 15_000;
/** Where no stream tells of changes: leases, pools, the states of all runs. */
const CLOCK_MS = 5_000;
/** The browser comes again by itself, and passes the guard again. */
const LONGEST_MS = 10 * 60_000;

interface Source {
  /** null: the clock alone */
  readonly stream: { readonly key: string; readonly after: string } | null;
  readonly clock: boolean;
}

export interface Listeners {
  follow(reply: FastifyReply, source: Source): FastifyReply;
  close(): void;
}

export function createListeners(deps: Pick<Deps, "redis" | "config" | "sessions">): Listeners {
  const streams = createStreamWatch(deps.redis);
  const open = new Set<() => void>();
  return {
    follow(reply, { stream, clock }) {
      if (open.size >= MOST_LISTENERS) return reply.status(503).send("too many pages are open");
      reply.hijack();
      const { raw } = reply;
      raw.writeHead(200, {
        ...headersOf(reply),
        "content-type": "text/event-stream",
        "x-accel-buffering": "no",
      });
      raw.write("retry: 2000\n\n");
      const changed = (): void => void raw.write("event: changed\ndata: \n\n");
      const end = (): void => void raw.end();
      const unwatch = stream === null ? null : streams.watch(stream, changed);
      const beat = setInterval(() => void raw.write(":\n\n"), BEAT_MS);
      const tick = clock ? setInterval(changed, CLOCK_MS) : undefined;
      const last = setTimeout(end, LONGEST_MS);
      const unlook = whileSession(reply.request, deps, end);
      open.add(end);
      raw.once("close", () => {
        open.delete(end);
        unwatch?.();
        unlook();
        clearInterval(beat);
        clearInterval(tick);
        clearTimeout(last);
      });
      return reply;
    },
    close() {
      for (const end of open) end();
      streams.close();
    },
  };
}

/** Those that the guard has set. */
function headersOf(reply: FastifyReply): Record<string, string> {
  const all = Object.entries(reply.getHeaders());
  return Object.fromEntries(
    all.flatMap(([name, value]) => (typeof value === "string" ? [[name, value]] : [])),
  );
}
