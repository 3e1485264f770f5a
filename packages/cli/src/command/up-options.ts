// The flags and the environment of `up` in, the options of a start out; refuses ports and sources that can't be.
import { realpathSync } from "node:fs";
import path from "node:path";
import { AirlockError } from "@airlock/core/fault";
import { dataFolder } from "../session/index.ts";
import { cliConfig } from "../config.ts";
import type { LocalOptions } from "../local/index.ts";
import type { CommandCall, CommandContext } from "./command.ts";

export function upOptions(call: CommandCall, context: CommandContext): Omit<LocalOptions, "onEvent"> {
  const { environment, folder } = context;
  const config = cliConfig(environment);
  const gateway = call.text("gateway");
  return {
    data: dataFolder(folder, config, call.text("data")),
    gateway: gateway === undefined ? null : path.resolve(folder, gateway),
    port: portOf(call.text("port")),
    sources: sourcesOf(call, context),
    environment,
    folder,
  };
}

function portOf(text: string | undefined): number | null {
  if (text === undefined || text === "0") return null;
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_531) return port;
  throw new AirlockError("USAGE", `--port ${text}: it has to be a port number up to 65531`);
}

function sourcesOf(call: CommandCall, { environment, folder }: CommandContext): readonly string[] {
  const named = call.list("source");
  const listed = (environment["AIRLOCK_SOURCES"] ?? "").split(",").filter((entry) => entry.trim() !== "");
  const sources = named.length > 0 ? named : listed.length > 0 ? listed : ["."];
  return sources.map((source) => {
    if (source.includes(","))
      throw new AirlockError("USAGE", `--source ${source}: a source can't hold a comma`);
    return /^[a-z][a-z0-9+.-]*:\/\//i.test(source) ? source : realSource(path.resolve(folder, source.trim()));
  });
}

function realSource(place: string): string {
  try {
    return realpathSync(place);
  } catch (cause) {
    throw new AirlockError("USAGE", `--source: there is nothing at ${place}`, { cause });
  }
}
