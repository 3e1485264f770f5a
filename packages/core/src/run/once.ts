import { runScript, type Redis, type Script } from "../store/index.ts";

/** Runs a script that changes something at most once; true where this was the time. */
export async function once(
  redis: Redis,
  script: Script,
  input: Parameters<typeof runScript>[2],
): Promise<boolean> {
  return (await runScript(redis, script, input)) === 1;
}
