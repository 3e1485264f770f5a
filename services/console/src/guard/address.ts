import type { FastifyInstance } from "fastify";
import type { ConsoleConfig } from "../config.ts";

export interface Address {
  /** each as a browser writes it in `Origin` */
  readonly origins: readonly string[];
  /** whether people reach the console over https */
  readonly secure: boolean;
}

/** Under which addresses the console is reached; without a setting, on this machine alone, by the port that it got. */
export function addressOf(
  { server: { server } }: { readonly server: Pick<FastifyInstance, "server"> },
  { config }: { readonly config: Pick<ConsoleConfig, "consoleOrigin"> },
): Address {
  const set = config.consoleOrigin;
  if (set.length > 0) return { origins: set, secure: set.every((origin) => origin.startsWith("https:")) };
  const bound = server.address();
  const port = bound === null || typeof bound === "string" ? 0 : bound.port;
  return { origins: [`http://127.0.0.1:${port}`, `http://localhost:${port}`], secure: false };
}
