/** In comes a folder of fixtures, out comes a running HTTP server that plays them; refused are a bad folder or address. */
import { stat } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { AirlockError } from "@airlock/core/fault";
import { createAttempts, createLibrary, type Misbehaviour } from "./fixture/index.ts";
import { answerRefusal, handleExchange, type HandlerDeps, type PlayedRequest } from "./handle.ts";
import type { RefusalCode } from "./refusal.ts";

/** What the gateway tells of a request: never its content. */
export type GatewayEvent =
  | ({ readonly type: "request_played"; readonly requestId: string } & PlayedRequest)
  | {
      readonly type: "request_refused";
      readonly requestId: string;
      readonly code: RefusalCode;
      readonly message: string;
    }
  | { readonly type: "request_aborted"; readonly requestId: string }
  /** follows whatever was told of a request before: nothing more of it will be sent */
  | { readonly type: "request_ended"; readonly requestId: string }
  | { readonly type: "request_failed"; readonly requestId: string; readonly message: string };

export interface GatewayOptions {
  readonly directory: string;
  readonly host?: string;
  /** 0 takes any free port. */
  readonly port?: number;
  /** Applies to every fixture; a fixture's sidecar overrides it key by key. */
  readonly misbehave?: Misbehaviour;
  readonly log?: (event: GatewayEvent) => void;
  /** Waited for between the last byte of an answer and its end, however long it takes. */
  readonly beforeEnd?: (played: PlayedRequest) => Promise<void>;
  /** The keys that are accepted; without it any bearer token is. */
  readonly apiKeys?: readonly string[];
}

export interface Gateway {
  readonly url: string;
  readonly port: number;
  requests(): readonly PlayedRequest[];
  /** Breaks off what is being sent, then stops listening. */
  close(): Promise<void>;
}

export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  await requireDirectory(options.directory);
  const { host = "127.0.0.1", port: wanted = 0, log = () => {} } = options;
  const played: PlayedRequest[] = [];
  const shared = {
    library: createLibrary(options.directory, options.misbehave ?? {}),
    attempts: createAttempts(),
    apiKeys: options.apiKeys ?? null,
    beforeEnd: options.beforeEnd ?? (() => Promise.resolve()),
  };
  let received = 0;
  const server = createServer((request, response) => {
    received += 1;
    const requestId = `replay-${received}`;
    const deps: HandlerDeps = {
      ...shared,
      onPlayed: (entry) => {
        played.push(entry);
        log({ type: "request_played", requestId, ...entry });
      },
      onRefused: ({ code, message }) => log({ type: "request_refused", requestId, code, message }),
    };
    void answer(deps, { request, response, requestId, log });
  });
  const port = await listen(server, host, wanted);
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${port}`,
    port,
    requests: () => [...played],
    close: () => stop(server),
  };
}

interface Incoming {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly requestId: string;
  readonly log: (event: GatewayEvent) => void;
}

/** Never rejects: an answer that fails is logged, and ends its own connection only. */
async function answer(deps: HandlerDeps, incoming: Incoming): Promise<void> {
  const { request, response, requestId, log } = incoming;
  // Closing the gateway closes its connections, so this is also the signal of its end.
  const leaving = new AbortController();
  response.once("close", () => leaving.abort());
  try {
    await handleExchange(deps, { request, response, requestId, signal: leaving.signal });
  } catch (error) {
    if (leaving.signal.aborted) return log({ type: "request_aborted", requestId });
    log({ type: "request_failed", requestId, message: String(error) });
    const refusal = { code: "fixture_invalid", message: "a fixture can't be read", param: "model" } as const;
    if (response.headersSent) response.destroy();
    else answerRefusal(incoming, refusal);
  } finally {
    log({ type: "request_ended", requestId });
  }
}

async function requireDirectory(directory: string): Promise<void> {
  const found = await stat(directory).catch(() => null);
  if (found?.isDirectory() === true) return;
  throw new AirlockError("CONFIG_INVALID", `there is no folder of fixtures at ${directory}`);
}

function listen(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", (cause: NodeJS.ErrnoException) => {
      const taken = cause.code === "EADDRINUSE";
      const detail = taken ? `${host}:${port}` : `the gateway can't listen on ${host}:${port}`;
      reject(new AirlockError(taken ? "PORT_IN_USE" : "CONFIG_INVALID", detail, { cause }));
    });
    server.listen({ host, port }, () => {
      const address = server.address();
      resolve(typeof address === "object" && address !== null ? address.port : port);
    });
  });
}

function stop(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
