import type { Redis } from "@airlock/core/store";

/** How often each command was asked of a Redis that nobody else uses while `act` went on. */
export async function commandsOf(
  redis: Redis,
  act: () => Promise<unknown>,
): Promise<ReadonlyMap<string, number>> {
  await redis.config("RESETSTAT");
  await act();
  const lines = (await redis.info("commandstats")).matchAll(/cmdstat_(\w+)[^:]*:calls=(\d+)/g);
  return new Map([...lines].map(([, name = "", calls = "0"]) => [name, Number(calls)]));
}
