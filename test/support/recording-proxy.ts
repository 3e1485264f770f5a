import { once } from "node:events";
import { createServer, request as send } from "node:http";

export interface RecordingProxy {
  readonly url: string;
  /** The whole body of every request, in the order of arrival. */
  readonly bodies: readonly string[];
  /** Until it is told, it answers nothing. */
  forwardTo(url: string): void;
  close(): Promise<void>;
}

/** Stands between the streamer and a gateway that tells nothing of content, and keeps what is sent. */
export async function startRecordingProxy(): Promise<RecordingProxy> {
  const bodies: string[] = [];
  let target = "";
  const server = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = [];
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
    incoming.once("end", () => {
      const body = Buffer.concat(chunks);
      bodies.push(body.toString());
      const { method, headers, url = "" } = incoming;
      const forwarded = send(new URL(url, target), { method, headers }, (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(outgoing);
      });
      forwarded.once("error", () => outgoing.destroy());
      forwarded.end(body);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    bodies,
    forwardTo(url) {
      target = url;
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
