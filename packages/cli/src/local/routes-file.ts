import { existsSync, writeFileSync } from "node:fs";
import path from "node:path";
import { FAMILIES, type Family } from "@airlock/core/wire";
import { stringify } from "yaml";
import type { Environment } from "../config.ts";
import { dataPaths } from "./data-paths.ts";

interface GatewayRoute {
  readonly family: Family;
  readonly baseUrl: string;
  readonly models: readonly string[];
  readonly reportCovers: "pattern";
}

const COMETAPI = { family: "responses", baseUrl: "cometapi", models: ["**"] };

/** The replay gateway as a route for each wire family; one report covers all recordings of a route. */
export function gatewayRoutes(url: string): Readonly<Record<string, GatewayRoute>> {
  return Object.fromEntries(
    FAMILIES.map((family) => [
      family === "responses" ? "gateway" : `gateway-${family}`,
      { family, baseUrl: url, models: ["replay/**"], reportCovers: "pattern" } as const,
    ]),
  );
}

/** Routes for a machine without a routes file: CometAPI and, where one runs, the replay gateway. */
export function routesText(gatewayUrl: string | null): string {
  return stringify({
    routes: { ...(gatewayUrl === null ? {} : gatewayRoutes(gatewayUrl)), cometapi: COMETAPI },
  });
}

interface Place {
  readonly data: string;
  readonly environment: Environment;
  readonly folder: string;
}

/** The operator's own file: AIRLOCK_ROUTES, else config/routes.yaml where there is one. */
function operatorFile({ environment, folder }: Place): string | null {
  const named = environment["AIRLOCK_ROUTES"];
  if (named !== undefined) return path.resolve(folder, named);
  const usual = path.resolve(folder, "config/routes.yaml");
  return existsSync(usual) ? usual : null;
}

/** The routes file that is in use: the one that `airlock up` wrote, else the operator's. */
export function routesFile(place: Place): string {
  const own = dataPaths(place.data).routes;
  return existsSync(own) ? own : (operatorFile(place) ?? own);
}

/** Chooses the routes of this start, and writes them where there is a gateway or no file of the operator's. */
export function prepareRoutes(place: Place, gatewayUrl: string | null): string {
  const operators = gatewayUrl === null ? operatorFile(place) : null;
  if (operators !== null) return operators;
  const own = dataPaths(place.data).routes;
  writeFileSync(own, routesText(gatewayUrl), { mode: 0o600 });
  return own;
}
