import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { AirlockError } from "@airlock/core/fault";

export const PORT_ORDER = ["gateway", "streamer", "validator", "executor", "redis"] as const;
export type PortName = (typeof PORT_ORDER)[number];
export type Ports = Readonly<Record<PortName, number>>;

/** Consecutive ports from `base` on, or free ones. Throws PORT_IN_USE naming the port. */
export async function choosePorts(base: number | null): Promise<Ports> {
  const held = [];
  try {
    // all are held until all are chosen, so that none is chosen twice
    for (const [at, name] of PORT_ORDER.entries()) {
      held.push({ name, server: await listen(name, base === null ? 0 : base + at) });
    }
    return Object.fromEntries(
      held.map(({ name, server }) => [name, (server.address() as AddressInfo).port]),
    ) as Record<PortName, number>;
  } finally {
    await Promise.all(held.map(({ server }) => once(server.close(), "close")));
  }
}

async function listen(name: PortName, port: number) {
  const server = createServer().listen(port, "127.0.0.1");
  try {
    await once(server, "listening");
  } catch (cause) {
    const fix = "choose another --port, or leave it out for free ones";
    throw new AirlockError("PORT_IN_USE", `127.0.0.1:${port} (for the ${name}); ${fix}`, { cause });
  }
  return server;
}
