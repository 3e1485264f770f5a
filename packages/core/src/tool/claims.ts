import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "../json/index.ts";
import type { ToolManifest } from "./manifest.ts";
import { patchPaths } from "./patch-files.ts";
import { normalizeWorkspacePath, pathsOverlap } from "./workspace-path.ts";

type Reach = "none" | "read" | "write";

/** What one call touches: normalised workspace paths, and how much of the workspace besides them. */
export interface ResourceClaims {
  readonly reads: readonly string[];
  readonly writes: readonly string[];
  readonly workspace: Reach;
}

/**
 * Reads a call's claims from its arguments, lexically. A path or patch that can't be read for certain claims the
 * whole workspace, to read or to write as the argument's role is.
 */
export function resourceClaims(manifest: ToolManifest, args: JsonObject): ResourceClaims {
  const { claims } = manifest;
  const read = namedPaths(args, claims.reads, (text) => [text]);
  const written = namedPaths(args, claims.writes, (text) => [text]);
  const patched = namedPaths(args, claims.patches, patchPaths);
  const clear = written.clear && patched.clear;
  const unclear: Reach = clear ? (read.clear ? "none" : "read") : "write";
  return {
    reads: read.paths,
    writes: [...new Set([...written.paths, ...patched.paths])],
    workspace: wider(claims.workspace, unclear),
  };
}

/**
 * What path scopes judge: the claims without the reach that the manifest itself declares. That reach is the same for
 * every call, so it is the tool's own rule that permits it.
 */
export function argumentClaims(manifest: ToolManifest, args: JsonObject): ResourceClaims {
  return resourceClaims({ ...manifest, claims: { ...manifest.claims, workspace: "none" } }, args);
}

interface NamedPaths {
  readonly paths: readonly string[];
  readonly clear: boolean;
}

function namedPaths(
  args: JsonObject,
  names: readonly string[],
  read: (text: string) => readonly string[] | null,
): NamedPaths {
  const raw = names.map((name) => {
    const texts = textsOf(Object.hasOwn(args, name) ? args[name] : undefined).map((text) =>
      text === null ? null : read(text),
    );
    return texts.length === 0 || texts.includes(null) ? null : texts.flatMap((found) => found ?? []);
  });
  const paths = raw.flatMap((found) => (found ?? []).map(normalizeWorkspacePath));
  const usable = paths.filter((path) => path !== null);
  return { paths: [...new Set(usable)], clear: !raw.includes(null) && usable.length === paths.length };
}

/** An argument that names paths is one text, or a list of objects with a `path`; null stands for anything else. */
function textsOf(value: JsonValue | undefined): readonly (string | null)[] {
  if (typeof value === "string") return [value];
  if (value === undefined || !isJsonArray(value)) return [null];
  return value.map((entry) => {
    const path = isJsonObject(entry) && Object.hasOwn(entry, "path") ? entry["path"] : null;
    return typeof path === "string" ? path : null;
  });
}

const WIDTH = { none: 0, read: 1, write: 2 } as const satisfies Record<Reach, number>;

function wider(left: Reach, right: Reach): Reach {
  return WIDTH[left] >= WIDTH[right] ? left : right;
}

/** Whether two calls must not run at once: one of them writes what the other touches. */
export function claimsConflict(a: ResourceClaims, b: ResourceClaims): boolean {
  return disturbs(a, b) || disturbs(b, a);
}

function disturbs(writer: ResourceClaims, other: ResourceClaims): boolean {
  const touched = [...other.reads, ...other.writes];
  if (writer.workspace === "write") return other.workspace !== "none" || touched.length > 0;
  if (writer.writes.length === 0) return false;
  if (other.workspace !== "none") return true;
  return writer.writes.some((path) => touched.some((target) => pathsOverlap(path, target)));
}
