import { Buffer } from "node:buffer";

/**
 * A path written by a model in; its components in, relative to the tree, out. Refused are absolute paths, `..`,
 * NUL, what is too long, and protected names in any spelling that some file system would fold into them.
 */

export interface PathRefusal {
  readonly ok: false;
  readonly errorClass: "PATH_REFUSED" | "DISK_FULL" | "CLAIM_LOST";
  readonly detail: string;
  /** Nothing is there, as opposed to: something is, and may not be touched. */
  readonly missing: boolean;
}

export type WorkspacePath = { readonly ok: true; readonly components: readonly string[] } | PathRefusal;

const MAX_PATH_BYTES = 4096;
const MAX_COMPONENT_BYTES = 255;
const MAX_COMPONENTS = 64;

/** Git trusts these; whoever writes them makes a later git run programs. Reading `.gitmodules` is harmless. */
const PROTECTED_NAMES = {
  ".git": { read: false },
  "git~1": { read: false },
  ".gitmodules": { read: true },
} as const satisfies Record<string, { readonly read: boolean }>;

/** Configuration that a trusted tool outside the sandbox may obey later; writing it is allowed and flagged. */
const TRUSTED_CONFIG = new Set([
  ".gitattributes",
  ".husky",
  ".vscode",
  ".idea",
  ".mcp.json",
  ".claude",
  ".codex",
  ".gemini",
  ".npmrc",
  ".envrc",
]);

export function refusePath(detail: string, missing = false): PathRefusal {
  return { ok: false, errorClass: "PATH_REFUSED", detail, missing };
}

export function parseWorkspacePath(path: string, use: "read" | "write"): WorkspacePath {
  if (path.includes("\0")) return refusePath("the path holds a NUL byte");
  if (path.startsWith("/")) return refusePath("the path is absolute; paths are relative to the workspace");
  if (Buffer.byteLength(path) > MAX_PATH_BYTES) return refusePath("the path is longer than 4096 bytes");
  if (Buffer.from(path).toString() !== path) return refusePath("the path is not well-formed Unicode");
  const components = path.split("/").filter((name) => name !== "" && name !== ".");
  if (components.length > MAX_COMPONENTS) return refusePath("the path has more than 64 components");
  for (const name of components) {
    const reason = refusedName(name, use);
    if (reason !== null) return refusePath(reason);
  }
  return { ok: true, components };
}

function refusedName(name: string, use: "read" | "write"): string | null {
  if (name === "..") return "the path holds `..`";
  if (Buffer.byteLength(name) > MAX_COMPONENT_BYTES) return "a component is longer than 255 bytes";
  const folded = foldName(name);
  if (!isProtected(folded)) return null;
  return use === "read" && PROTECTED_NAMES[folded].read ? null : `\`${folded}\` is protected`;
}

function isProtected(folded: string): folded is keyof typeof PROTECTED_NAMES {
  return Object.hasOwn(PROTECTED_NAMES, folded);
}

/** What a case-folding, normalizing or NTFS-like file system would make of the name. */
function foldName(name: string): string {
  return name
    .normalize("NFKC")
    .replaceAll(/\p{Default_Ignorable_Code_Point}/gu, "")
    .toLowerCase()
    .replace(/[. ]+$/u, "");
}

export function touchesTrustedConfig(components: readonly string[]): boolean {
  const folded = components.map(foldName);
  return (
    folded.some((name) => TRUSTED_CONFIG.has(name)) || (folded[0] === ".github" && folded[1] === "workflows")
  );
}
