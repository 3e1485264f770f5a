// AIRLOCK_URL and a token in, the console that they name out; refuses addresses that can't be one, and a missing token.
import { readFileSync } from "node:fs";
import path from "node:path";
import { AirlockError } from "@airlock/core/fault";
import type { CliConfig } from "../../config.ts";

export interface ConsolePlace {
  /** without a slash at its end */
  readonly url: string;
  readonly token: string;
}

type Config = Pick<CliConfig, "consoleUrl" | "consoleToken" | "consoleTokenFile">;

/** Null where AIRLOCK_URL is not set. */
export function consolePlace(config: Config, folder: string): ConsolePlace | null {
  const named = config.consoleUrl;
  if (named === "") return null;
  const url = URL.canParse(named) ? new URL(named) : null;
  const usable =
    url !== null &&
    (url.protocol === "http:" || url.protocol === "https:") &&
    `${url.username}${url.password}${url.search}${url.hash}` === "";
  if (!usable) {
    throw new AirlockError(
      "CONFIG_INVALID",
      "AIRLOCK_URL has to be the console's http or https address, without a user, a query or a fragment",
    );
  }
  return { url: `${url.origin}${url.pathname.replace(/\/+$/, "")}`, token: tokenOf(config, folder) };
}

function tokenOf({ consoleToken: given, consoleTokenFile: file }: Config, folder: string): string {
  if ((given === "") === (file === "")) {
    throw new AirlockError(
      "CONFIG_INVALID",
      "AIRLOCK_URL is set, so set either AIRLOCK_TOKEN or AIRLOCK_TOKEN_FILE",
    );
  }
  const token = (given === "" ? readToken(path.resolve(folder, file)) : given).trim();
  if (/^[\u0021-\u007e]+$/.test(token)) return token;
  const where = given === "" ? "AIRLOCK_TOKEN_FILE holds" : "AIRLOCK_TOKEN is";
  throw new AirlockError("CONFIG_INVALID", `${where} no token: one word of printable characters`);
}

function readToken(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? String(cause.code) : "unknown error";
    throw new AirlockError("CONFIG_INVALID", `AIRLOCK_TOKEN_FILE ${file} can't be read (${code})`, { cause });
  }
}
