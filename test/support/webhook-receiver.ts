import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";

export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** How an attempt is answered; nothing given back leaves it hanging. */
export type Behaviour = (response: ServerResponse, attempt: number) => void;

export interface Receiver {
  readonly url: string;
  readonly received: readonly Received[];
  bodies(): readonly Record<string, unknown>[];
  /** of all attempts from now on */
  behave(behaviour: Behaviour): void;
  close(): Promise<void>;
}

export const answering =
  (status: number, headers: Readonly<Record<string, string>> = {}): Behaviour =>
  (response) =>
    void response.writeHead(status, headers).end();

/** A real HTTP server that keeps what it was sent. */
export async function startReceiver(first: Behaviour = answering(204)): Promise<Receiver> {
  const received: Received[] = [];
  let behaviour = first;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { url: path = "", headers } = request;
      received.push({ path, headers, text: Buffer.concat(chunks).toString("utf8") });
      behaviour(response, received.length);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return {
    url: `http://127.0.0.1:${address.port}`,
    received,
    bodies: () => received.map(({ text }) => JSON.parse(text) as Record<string, unknown>),
    behave(next) {
      behaviour = next;
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
