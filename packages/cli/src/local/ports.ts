import { once } from "node:events";
import { createServer, type Server } from "node:net";
import { AirlockError } from "@airlock/core/fault";
import type { ServiceName } from "@airlock/core/runtime";

/** `pages`: what people and programs see of the console; its port by its name is that of its health. */
type PortName = "gateway" | ServiceName | "pages" | "redis";
export type Ports = Readonly<Record<PortName, number>>;

/** Consecutive ports from `base` on, or free ones. Throws PORT_IN_USE naming the port. */
export async function choosePorts(base: number | null): Promise<Ports> {
  const held: Held[] = [];
  const hold = async (name: PortName): Promise<number> => {
    const one = await listen(name, base === null ? 0 : base + held.length);
    held.push(one);
    return one.port;
  };
  try {
    // all are held until all are chosen, so that none is chosen twice
    return {
      gateway: await hold("gateway"),
      streamer: await hold("streamer"),
      validator: await hold("validator"),
      executor: await hold("executor"),
      console: await hold("console"),
      pages: await hold("pages"),
      redis: await hold("redis"),
    };
  } finally {
    await Promise.all(held.map(({ server }) => once(server.close(), "close")));
  }
}

interface Held {
  readonly server: Server;
  readonly port: number;
}

async function listen(name: PortName, wanted: number): Promise<Held> {
  const server = createServer().listen(wanted, "127.0.0.1");
  try {
    await once(server, "listening");
  } catch (cause) {
    const fix = "choose another --port, or leave it out for free ones";
    throw new AirlockError("PORT_IN_USE", `127.0.0.1:${wanted} (for the ${name}); ${fix}`, { cause });
  }
  const address = server.address();
  return { server, port: address !== null && typeof address === "object" ? address.port : wanted };
}
