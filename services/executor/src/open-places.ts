// Takes the settings that name places, gives the volume's folder; refuses those that put what decides about agents where
// agents write, or what agents write into what is the executor's own or every sandbox sees.
import { existsSync, realpathSync } from "node:fs";
import path from "node:path";
import { AirlockError } from "@airlock/core/fault";
import type { ExecutorConfig } from "./config.ts";
import { exists, makePrivateDirectory, type ServiceUser } from "./workspace/index.ts";

type Places = Pick<
  ExecutorConfig,
  "policies" | "tools" | "repositories" | "pushCredentials" | "toolchains" | "volume" | "writeAhead"
>;

/** What a run could change there would hold for the calls after it. */
const NEVER_INSIDE = {
  policies: "AIRLOCK_POLICIES",
  tools: "AIRLOCK_TOOLS",
  repositories: "AIRLOCK_REPOSITORIES",
  pushCredentials: "AIRLOCK_PUSH_CREDENTIALS",
} as const;

/** Throws CONFIG_INVALID. To be done before anything is made in the volume. */
export async function openPlaces(config: Places, serviceUser: ServiceUser | null): Promise<void> {
  checkPlaces(config);
  // an operator's own folder keeps its owner and mode
  if (!(await exists(config.volume))) await makePrivateDirectory(path.resolve(config.volume), serviceUser);
}

function checkPlaces(config: Places): void {
  const volume = realpathOf(config.volume);
  for (const name of ["policies", "tools", "repositories", "pushCredentials"] as const) {
    if (config[name] === "" || !contains(volume, realpathOf(config[name]))) continue;
    throw invalid(`${NEVER_INSIDE[name]} lies inside AIRLOCK_VOLUME, where agents write; move it out`);
  }
  const toolchain = config.toolchains.find((each) => contains(realpathOf(each), volume));
  if (toolchain !== undefined) {
    throw invalid(
      `AIRLOCK_TOOLCHAINS: ${toolchain} contains AIRLOCK_VOLUME, so every sandbox would see all runs; name a folder beside it`,
    );
  }
  if (config.writeAhead !== "" && contains(realpathOf(config.writeAhead), volume)) {
    throw invalid(
      "AIRLOCK_WRITE_AHEAD is AIRLOCK_VOLUME or contains it; name a folder of its own, or leave it out for `write-ahead` in the volume",
    );
  }
}

function contains(folder: string, place: string): boolean {
  return place === folder || place.startsWith(folder === "/" ? folder : `${folder}/`);
}

/** Of what isn't there yet, what it will be: its nearest folder that there is may be reached by a link. */
function realpathOf(place: string): string {
  const whole = path.resolve(place);
  if (existsSync(whole)) return realpathSync(whole);
  const parent = path.dirname(whole);
  return parent === whole ? whole : path.join(realpathOf(parent), path.basename(whole));
}

function invalid(detail: string): AirlockError {
  return new AirlockError("CONFIG_INVALID", detail);
}
