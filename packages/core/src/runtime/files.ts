import { readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { AirlockError, type ErrorCode } from "../fault/index.ts";
import { loadPolicy, type Policy } from "../policy/index.ts";
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

/** Every `<profile>.yaml` of a folder. One that doesn't load stops the start; an empty folder does, too. */
export function loadPolicyProfiles(folder: string): ReadonlyMap<string, Policy> {
  const names = readFolder(folder).filter((name) => name.endsWith(".yaml"));
  if (names.length === 0) throw new AirlockError("POLICY_INVALID", `${folder} holds no .yaml file`);
  return new Map(
    names.map((name) => {
      const file = path.join(folder, name);
      return [
        path.basename(name, ".yaml"),
        loadPolicy({ name: file, text: readText(file, "POLICY_INVALID") }),
      ];
    }),
  );
}

function readText(file: string, code: ErrorCode): string {
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    throw new AirlockError(code, `${file} can't be read (${systemCode(cause)})`, { cause });
  }
}

function readFolder(folder: string): readonly string[] {
  try {
    return readdirSync(folder).toSorted();
  } catch (cause) {
    throw new AirlockError("POLICY_INVALID", `${folder} can't be read (${systemCode(cause)})`, { cause });
  }
}

function systemCode(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "unknown error";
}
