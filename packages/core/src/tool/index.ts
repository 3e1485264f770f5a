export { APPLY_PATCH, BUILTIN_MANIFESTS } from "./builtin.ts";
export { createCatalog, type ToolCatalog } from "./catalog.ts";
export { claimsConflict, resourceClaims, type ResourceClaims } from "./claims.ts";
export {
  manifestDigest,
  schemaText,
  type EffectClass,
  type ToolClaims,
  type ToolManifest,
} from "./manifest.ts";
export { CHECK_FILES, CHECK_PATCH, OWN_TOOLS } from "./own-tools.ts";
export { readPatchFiles, type PatchFile } from "./patch-files.ts";
export { normalizeWorkspacePath, pathsOverlap } from "./workspace-path.ts";
