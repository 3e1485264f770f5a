import { AirlockError } from "../fault/index.ts";
import type { ToolManifest } from "./manifest.ts";

export interface ToolCatalog {
  readonly get: (name: string) => ToolManifest | undefined;
  /** In the order of the manifests. */
  readonly names: () => readonly string[];
}

/** What every wire family accepts as a function's name. */
const TOOL_NAME = /^[a-z][a-z0-9_]{0,63}$/;

/** Throws TOOLS_INVALID for a name that is taken or malformed. A Map, so that `__proto__` is just an unknown tool. */
export function createCatalog(manifests: readonly ToolManifest[]): ToolCatalog {
  const byName = new Map<string, ToolManifest>();
  for (const manifest of manifests) {
    const name = JSON.stringify(manifest.name);
    if (!TOOL_NAME.test(manifest.name)) {
      throw new AirlockError("TOOLS_INVALID", `${name} is no tool name; use a-z, 0-9 and _, a letter first`);
    }
    if (byName.has(manifest.name)) {
      throw new AirlockError("TOOLS_INVALID", `${name} is registered twice; rename or drop one`);
    }
    byName.set(manifest.name, manifest);
  }
  return { get: (name) => byName.get(name), names: () => [...byName.keys()] };
}
