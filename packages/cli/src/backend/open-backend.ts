// A command line's environment and folder in, the backend that they name out: HTTP where AIRLOCK_URL is set, else this
// machine's Redis and keys.
import path from "node:path";
import { loadKeyring, loadRoutes, loadTools, trustApprovers } from "@airlock/core/runtime";
import { cliConfig, type Environment } from "../config.ts";
import { dataPaths, routesFile, toolsPlace } from "../local/index.ts";
import { dataFolder, openSession, redisUrlFor } from "../session/index.ts";
import { AirlockError } from "@airlock/core/fault";
import type { Backend } from "./backend.ts";
import { consolePlace } from "./http/console-place.ts";
import { httpBackend } from "./http/http.ts";
import { directBackend } from "./direct.ts";

export interface BackendPlace {
  readonly environment: Environment;
  /** relative paths are seen from here */
  readonly folder: string;
  /** the folder of `airlock up`, where it is named */
  readonly data: string | undefined;
  /** who acts, where it is not the user of the operating system */
  readonly by: string | undefined;
  /** told when Redis stops answering, and when it answers again */
  readonly onState: (state: "up" | "down") => void;
  /** told when a console asks to wait */
  readonly onWait: (seconds: number) => void;
}

export function openBackend(place: BackendPlace): Backend {
  const { environment, folder, by, onState, onWait } = place;
  const config = cliConfig(environment);
  const remote = consolePlace(config, folder);
  if (remote !== null) {
    if (by === undefined) return httpBackend({ place: remote, onWait });
    throw new AirlockError(
      "USAGE",
      "--as can't stand beside AIRLOCK_URL: the console knows whose token it is",
    );
  }
  const data = dataFolder(folder, config, place.data);
  return directBackend({
    open: async () => {
      const opened = await openSession({ url: redisUrlFor({ environment, config, data }), data, onState });
      const approvers = config.approvers === "" ? "" : path.resolve(folder, config.approvers);
      const session = { ...opened, keyring: trustApprovers(opened.keyring, approvers) };
      return by === undefined ? session : { ...session, by };
    },
    routes: () => loadRoutes(routesFile({ data, environment, folder })),
    catalog: () => loadTools(toolsPlace(folder, config)).catalog,
    approver: () => loadKeyring(approverFile(place, data), "approver"),
  });
}

/** Who can read it can answer in any name: the console's own, or the one that `airlock up` made. */
function approverFile({ environment, folder }: BackendPlace, data: string): string {
  const named = environment["AIRLOCK_APPROVER_KEYRING"];
  return named === undefined ? dataPaths(data).keyring("approver") : path.resolve(folder, named);
}
