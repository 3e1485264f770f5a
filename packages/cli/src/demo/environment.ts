import { AirlockError } from "@airlock/core/fault";
import { withRedisPassword } from "@airlock/core/runtime";
import { cliConfig, type Environment } from "../config.ts";
import { redisFact } from "../doctor/index.ts";
import type { Screen } from "../view/index.ts";

/** Settings of this machine that hold for the demo as well; all others are the demo's own. */
const KEPT_SETTINGS = [
  "AIRLOCK_REDIS_PASSWORD_FILE",
  "AIRLOCK_BWRAP",
  "AIRLOCK_TOOLCHAINS",
  "AIRLOCK_SERVICE_USER",
  "AIRLOCK_DURABILITY",
  "AIRLOCK_LOG_LEVEL",
];

/** The environment of a demo: what says where things are, and nothing that would change the story. */
export async function demoEnvironment(environment: Environment, out: Screen): Promise<Environment> {
  const kept = Object.entries(environment).filter(
    ([name]) => !name.startsWith("AIRLOCK_") || KEPT_SETTINGS.includes(name),
  );
  return withDurability(Object.fromEntries(kept), out);
}

/**
 * The operator's own Redis may be one that forgets: then calls with effects would be refused. A demo may do with less,
 * as long as it says so; a silent Redis ends it before anything is started.
 */
async function withDurability(environment: Environment, out: Screen): Promise<Environment> {
  const url = environment["REDIS_URL"];
  if (url === undefined || environment["AIRLOCK_DURABILITY"] !== undefined) return environment;
  const config = withRedisPassword(cliConfig(environment));
  const fact = await redisFact(config.redisUrl, config);
  if (fact.kind !== "answers") {
    throw new AirlockError("REDIS_UNAVAILABLE", "start the one that REDIS_URL names, or unset REDIS_URL");
  }
  if (fact.keeps.holds) return environment;
  out.print(
    `Redis at ${fact.place} may forget what it acknowledged; the demo sets AIRLOCK_DURABILITY=relaxed`,
  );
  return { ...environment, AIRLOCK_DURABILITY: "relaxed" };
}
