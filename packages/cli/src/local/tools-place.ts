import path from "node:path";
import type { CliConfig } from "../config.ts";

/** AIRLOCK_TOOLS as seen from a folder; empty where there are none. */
export function toolsPlace(folder: string, { tools }: Pick<CliConfig, "tools">): string {
  return tools === "" ? "" : path.resolve(folder, tools);
}
