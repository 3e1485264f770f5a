import { readFileSync, statSync } from "node:fs";
import { AirlockError, type ErrorCode } from "../fault/index.ts";
import { parseKeyring, type Keyring, type Role } from "../record/index.ts";
import { parseRoutes, type Routes } from "../run/index.ts";

/** Reads a keyring file; refuses one that others may read. */
export function loadKeyring(file: string, role: Role): Keyring {
  const text = readText(file, "KEYS_INVALID");
  const mode = statSync(file).mode & 0o077;
  if (mode !== 0) {
    throw new AirlockError("KEYS_INVALID", `${file} may be read by others; run: chmod 600 ${file}`);
  }
  return parseKeyring(text, { file, role });
}

export function loadRoutes(file: string): Routes {
  return parseRoutes(readText(file, "ROUTES_INVALID"), file);
}

export function readText(file: string, code: ErrorCode): string {
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    throw new AirlockError(code, `${file} can't be read (${systemCode(cause)})`, { cause });
  }
}

export function systemCode(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "unknown error";
}
