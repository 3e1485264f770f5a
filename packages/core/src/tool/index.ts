export { BUILTIN_MANIFESTS } from "./builtin.ts";
export { createCatalog, type ToolCatalog } from "./catalog.ts";
export { claimsConflict, resourceClaims, type ResourceClaims } from "./claims.ts";
export {
  manifestDigest,
  schemaText,
  type EffectClass,
  type ToolClaims,
  type ToolManifest,
} from "./manifest.ts";
export { normalizeWorkspacePath, pathsOverlap } from "./workspace-path.ts";
