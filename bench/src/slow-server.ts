/** In comes a number of connections, out go events at a pace, each with the time at which it was written. */
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface SlowServer {
  readonly url: string;
  close(): void;
}

export interface Pace {
  readonly eventsPerSecond: number;
  readonly events: number;
}

/** Every connection has a clock of its own, begun at a moment of its own: real streams don't tick together. */
export async function startSlowServer(pace: Pace): Promise<SlowServer> {
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(
      frame({ type: "response.created", response: { id: "resp_1", model: "m", status: "in_progress" } }) +
        frame({ type: "response.output_item.added", output_index: 0, item: { ...ITEM, arguments: "" } }),
    );
    setTimeout(() => play(response, pace), Math.random() * (1_000 / pace.eventsPerSecond));
  });
  const port = await listen(server);
  return {
    url: `http://127.0.0.1:${port}/v1/responses`,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

const ITEM = { id: "fc_1", type: "function_call", call_id: "call_1", name: "write_file" };
const DELTA = "some twenty letters.";

function play(response: ServerResponse, { eventsPerSecond, events }: Pace): void {
  let sent = 0;
  const place = { output_index: 0, item_id: "fc_1" };
  const timer = setInterval(() => {
    if (sent < events) {
      const delta = sent === 0 ? '{"content":"' : DELTA;
      const sentAt = performance.timeOrigin + performance.now();
      response.write(frame({ type: "response.function_call_arguments.delta", ...place, delta, sentAt }));
      sent += 1;
      return;
    }
    clearInterval(timer);
    const text = `{"content":"${DELTA.repeat(events - 1)}"}`;
    const item = { ...ITEM, status: "completed", arguments: text };
    response.end(
      frame({ type: "response.function_call_arguments.delta", ...place, delta: '"}' }) +
        frame({ type: "response.output_item.done", output_index: 0, item }) +
        frame({ type: "response.completed", response: { id: "resp_1", status: "completed" } }),
    );
  }, 1_000 / eventsPerSecond);
  response.on("close", () => clearInterval(timer));
}

function frame(event: { readonly type: string; readonly [field: string]: unknown }): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve) => {
    server.listen({ host: "127.0.0.1", port: 0, backlog: 2_048 }, () =>
      resolve((server.address() as AddressInfo).port),
    );
  });
}
