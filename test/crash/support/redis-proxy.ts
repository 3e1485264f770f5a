import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import type { NameCommand } from "./command-name.ts";
import { commandWords, createFrameReader, isPush } from "./resp-frames.ts";

/**
 * A place in what a process says to Redis. `before`: the command is never sent on; `after`: it was carried out, and the
 * process never hears of it.
 */
export interface Failpoint {
  readonly moment: "before" | "after";
  readonly command: RegExp | (() => boolean);
  /** the first, if left out */
  readonly occurrence?: number;
}

/** Stands between one process and Redis, so that the process can be stopped between any two steps without its knowledge. */
export interface RedisProxy {
  readonly url: string;
  /**
   * At the failpoint, once, `act` is called, and nothing goes in that direction until its promise is fulfilled. `cut`
   * closes the connection without a word more, as the death of the process does; `pass` lets everything go on.
   */
  at(point: Failpoint, act: () => Promise<Then> | Then): Promise<void>;
  /** Commands that went through, by name without key. */
  readonly seen: ReadonlyMap<string, number>;
  close(): Promise<void>;
}

/** A process that is alive says something to Redis far more often. */
const PATIENCE_MS = 90_000;

export type Then = "cut" | "pass";

interface Armed {
  readonly point: Failpoint;
  left: number;
  hit(): Promise<Then>;
}

interface Proxying {
  readonly target: URL;
  readonly name: NameCommand;
  readonly seen: Map<string, number>;
  readonly sockets: Set<Socket>;
  armed: Armed | null;
}

export async function startRedisProxy(target: string, name: NameCommand): Promise<RedisProxy> {
  const proxying: Proxying = {
    target: new URL(target),
    name,
    seen: new Map(),
    sockets: new Set(),
    armed: null,
  };
  const server = createServer((client) => relay(proxying, client));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return {
    url: `redis://127.0.0.1:${address.port}`,
    seen: proxying.seen,
    at: (point, act) =>
      new Promise((resolve, reject) => {
        const late = setTimeout(() => {
          proxying.armed = null;
          reject(new Error(`${String(point.command)} was not said within ${PATIENCE_MS} ms`));
        }, PATIENCE_MS);
        const hit = async (): Promise<Then> => {
          clearTimeout(late);
          try {
            const then = await act();
            resolve();
            return then;
          } catch (error) {
            reject(error instanceof Error ? error : new Error(String(error)));
            return "cut";
          }
        };
        proxying.armed = { point, left: point.occurrence ?? 1, hit };
      }),
    async close() {
      for (const socket of proxying.sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

function relay(proxying: Proxying, client: Socket): void {
  const { target, sockets } = proxying;
  const server = connect({ host: target.hostname, port: Number(target.port) });
  const cut = (): void => {
    client.destroy();
    server.destroy();
  };
  /** Of every command that waits for its reply: what is to be done before the reply goes on. */
  const waiting: (Armed | null)[] = [];
  for (const [socket, other] of [
    [client, server],
    [server, client],
  ] as const) {
    sockets.add(socket);
    socket.setNoDelay(true);
    socket.on("error", () => undefined);
    socket.on("close", () => {
      sockets.delete(socket);
      other.destroy();
    });
  }
  const commands = createFrameReader();
  inOrder(client, async (chunk) => {
    for (const frame of commands(chunk)) {
      const name = proxying.name(commandWords(frame));
      count(proxying.seen, name.split(" ")[0] ?? "");
      const armed = takeArmed(proxying, name);
      if (armed?.point.moment === "before" && (await armed.hit()) === "cut") return cut();
      waiting.push(armed?.point.moment === "after" ? armed : null);
      server.write(frame);
    }
  });
  const replies = createFrameReader();
  inOrder(server, async (chunk) => {
    for (const frame of replies(chunk)) {
      const armed = isPush(frame) ? null : (waiting.shift() ?? null);
      if (armed !== null && notCarriedOut(frame)) again(proxying, armed);
      else if (armed !== null && (await armed.hit()) === "cut") return cut();
      client.write(frame);
    }
  });
}

/** A script that the server doesn't know yet comes once more, with its text. */
function notCarriedOut(reply: Buffer): boolean {
  return reply.subarray(0, 9).toString("latin1") === "-NOSCRIPT";
}

function again(proxying: Proxying, armed: Armed): void {
  armed.left = 1;
  proxying.armed ??= armed;
}

/** Calls `take` with one chunk at a time; the next one waits for its end. */
function inOrder(socket: Socket, take: (chunk: Buffer) => Promise<void>): void {
  let last: Promise<void> = Promise.resolve();
  socket.on("data", (chunk: Buffer) => {
    last = last.then(() => take(chunk)).catch(() => void socket.destroy());
  });
}

function takeArmed(proxying: Proxying, name: string): Armed | null {
  const { armed } = proxying;
  if (armed === null) return null;
  const { command } = armed.point;
  if (!(typeof command === "function" ? command() : command.test(name))) return null;
  armed.left -= 1;
  if (armed.left > 0) return null;
  proxying.armed = null;
  return armed;
}

function count(seen: Map<string, number>, name: string): void {
  seen.set(name, (seen.get(name) ?? 0) + 1);
}
