import { readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { parseApprovers, withApprovers } from "../approval/index.ts";
import { AirlockError, type ErrorCode } from "../fault/index.ts";
import { parseKeyring, type Keyring, type Role } from "../record/index.ts";
import {
  NO_REPOSITORIES,
  parseRepositories,
  parseRoutes,
  type Repositories,
  type Routes,
} from "../run/index.ts";
import { operatorCatalog, readOperatorTool, type OperatorTool, type ToolCatalog } from "../tool/index.ts";

/** Reads a keyring file; refuses one that others may read. */
export function loadKeyring(file: string, role: Role): Keyring {
  const text = readText(file, "KEYS_INVALID");
  const mode = statSync(file).mode & 0o077;
  if (mode !== 0) {
    throw new AirlockError("KEYS_INVALID", `${file} may be read by others; run: chmod 600 ${file}`);
  }
  return parseKeyring(text, { file, role });
}

const LEAST_KEY_BYTES = 32;

/** The key of the marks by which equal contents are found, as the bytes of its file; an empty place names none. */
export function loadCorrelationKey(file: string): Buffer | null {
  if (file === "") return null;
  const key = Buffer.from(readText(file, "KEYS_INVALID").trimEnd(), "utf8");
  if ((statSync(file).mode & 0o077) !== 0) {
    throw new AirlockError("KEYS_INVALID", `${file} may be read by others; run: chmod 600 ${file}`);
  }
  if (key.length < LEAST_KEY_BYTES)
    throw new AirlockError("KEYS_INVALID", `${file} holds less than ${LEAST_KEY_BYTES} bytes`);
  return key;
}

/** The keyring, with the people of the approvers file trusted in it; an empty place names none. Throws KEYS_INVALID. */
export function trustApprovers(keyring: Keyring, file: string): Keyring {
  if (file === "") return keyring;
  return withApprovers(keyring, parseApprovers({ name: file, text: readText(file, "KEYS_INVALID") }));
}

/** The settings with the password of the named file in the address of Redis. Throws CONFIG_INVALID. */
export function withRedisPassword<
  Settings extends { readonly redisUrl: string; readonly redisPasswordFile: string },
>(settings: Settings): Settings {
  const { redisUrl, redisPasswordFile: file } = settings;
  if (file === "") return settings;
  const password = readText(file, "CONFIG_INVALID").trim();
  if (password === "") throw new AirlockError("CONFIG_INVALID", `${file} holds no password`);
  return { ...settings, redisUrl: redisAddress(redisUrl, { password }) };
}

/** The address with who connects in it. */
export function redisAddress(url: string, as: { readonly user?: string; readonly password: string }): string {
  const address = new URL(url);
  if (as.user !== undefined) address.username = as.user;
  address.password = encodeURIComponent(as.password);
  return address.href;
}

export function loadRoutes(file: string): Routes {
  return parseRoutes(readText(file, "ROUTES_INVALID"), file);
}

/** What the operator says of repositories; an empty place says nothing. Throws REPOSITORIES_INVALID. */
export function loadRepositories(file: string): Repositories {
  if (file === "") return NO_REPOSITORIES;
  return parseRepositories({ name: file, text: readText(file, "REPOSITORIES_INVALID") });
}

export interface Tools {
  /** the built-in tools, then the operator's */
  readonly catalog: ToolCatalog;
  readonly operatorTools: readonly OperatorTool[];
}

const TOOL_FILES: ReadonlySet<string> = new Set([".yaml", ".yml", ".json"]);

/**
 * The operator's tools: one file, or each YAML and JSON file of a folder; an empty place holds none. Throws
 * TOOLS_INVALID with every problem of every file.
 */
export function loadTools(place: string): Tools {
  const read = toolFiles(place).map((name) =>
    orRefusal(() => readOperatorTool({ name, text: readText(name, "TOOLS_INVALID") })),
  );
  const operatorTools = read.flatMap((each) => (each instanceof AirlockError ? [] : [each]));
  const catalog = orRefusal(() => operatorCatalog(operatorTools));
  const refusals = [...read, catalog].filter((each) => each instanceof AirlockError);
  if (catalog instanceof AirlockError || refusals.length > 0) {
    throw new AirlockError("TOOLS_INVALID", refusals.map(({ detail }) => detail).join("\n"));
  }
  return { operatorTools, catalog };
}

function orRefusal<Value>(read: () => Value): Value | AirlockError {
  try {
    return read();
  } catch (error) {
    if (error instanceof AirlockError && error.code === "TOOLS_INVALID") return error;
    throw error;
  }
}

function toolFiles(place: string): readonly string[] {
  if (place === "") return [];
  if (statSync(place, { throwIfNoEntry: false })?.isDirectory() !== true) return [place];
  return readFolder(place, "TOOLS_INVALID")
    .filter((name) => TOOL_FILES.has(path.extname(name)))
    .map((name) => path.join(place, name));
}

export function readText(file: string, code: ErrorCode): string {
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    throw new AirlockError(code, `${file} can't be read (${systemCode(cause)})`, { cause });
  }
}

export function readFolder(folder: string, code: ErrorCode): readonly string[] {
  try {
    return readdirSync(folder).toSorted();
  } catch (cause) {
    throw new AirlockError(code, `${folder} can't be read (${systemCode(cause)})`, { cause });
  }
}

function systemCode(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "unknown error";
}
