/** The gateway as a process: prints one JSON line with its address on stdout, events on stderr, and ends on a signal. */
import { AirlockError } from "@airlock/core/fault";
import { readConfig } from "./config.ts";
import { startGateway, type GatewayEvent } from "./gateway.ts";

function log(event: GatewayEvent): void {
  process.stderr.write(`${JSON.stringify(event)}\n`);
}

try {
  const gateway = await startGateway({ ...readConfig(), log });
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void gateway.close());
  process.stdout.write(`${JSON.stringify({ url: gateway.url, port: gateway.port })}\n`);
} catch (error) {
  if (!(error instanceof AirlockError)) throw error;
  process.stderr.write(`${error.code}: ${error.message}\n`);
  process.exitCode = 1;
}
