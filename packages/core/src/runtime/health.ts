import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { AirlockError } from "../fault/index.ts";

/** What readiness looks at; each check answers at once. */
export type ReadyCheck = () => { readonly name: string; readonly ok: boolean; readonly detail?: string };

export interface HealthOptions {
  readonly host: string;
  readonly port: number;
  readonly checks: readonly ReadyCheck[];
  readonly metrics: () => Promise<string>;
}

/** Serves /live, /ready and /metrics. Throws PORT_IN_USE naming the setting that moves it. */
export async function serveHealth(
  options: HealthOptions,
): Promise<{ readonly port: number; close(): Promise<void> }> {
  const server = createServer((request, response) => {
    const answer = (status: number, type: string, body: string): void => {
      response.writeHead(status, { "content-type": type }).end(body);
    };
    switch (request.url ?? "") {
      case "/live":
        return answer(200, "text/plain", "live\n");
      case "/ready": {
        const checks = options.checks.map((check) => check());
        const ready = checks.every((check) => check.ok);
        return answer(ready ? 200 : 503, "application/json", `${JSON.stringify({ ready, checks })}\n`);
      }
      case "/metrics":
        return void options.metrics().then(
          (text) => answer(200, "text/plain; version=0.0.4", text),
          () => answer(500, "text/plain", "no metrics\n"),
        );
      default:
        return answer(404, "text/plain", "try /live, /ready or /metrics\n");
    }
  });
  server.listen(options.port, options.host);
  try {
    await once(server, "listening");
  } catch (cause) {
    throw new AirlockError(
      "PORT_IN_USE",
      `${options.host}:${options.port} can't be opened; set AIRLOCK_HEALTH_PORT to another port, or to 0`,
      { cause },
    );
  }
  return {
    port: portOf(server.address()),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

function portOf(address: AddressInfo | string | null): number {
  return address === null || typeof address === "string" ? 0 : address.port;
}
