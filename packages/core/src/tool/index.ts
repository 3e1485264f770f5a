export { BUILTIN_CATALOG } from "./builtin-catalog.ts";
export { BUILTIN_MANIFESTS } from "./builtin.ts";
export { APPLY_PATCH, hasPreview } from "./builtin-changes.ts";
export { createCatalog, type ToolCatalog } from "./catalog.ts";
export { argumentClaims, claimsConflict, resourceClaims, type ResourceClaims } from "./claims.ts";
export { compileSchema, type SchemaCheck } from "./compile-schema.ts";
export {
  manifestDigest,
  schemaText,
  type EffectClass,
  type ToolClaims,
  type ToolManifest,
  type ToolOrigin,
} from "./manifest.ts";
export {
  operatorCatalog,
  operatorToolProblem,
  readOperatorTool,
  type OperatorTool,
} from "./operator-tool.ts";
export { hostedTool, hostedToolName, isHostedTool } from "./hosted-tool.ts";
export { toolFields } from "./tool-fields.ts";
export { CHECK_FILES, CHECK_PATCH, OWN_TOOLS } from "./own-tools.ts";
export { readPatchFiles, type PatchFile } from "./patch-files.ts";
export { normalizeWorkspacePath, pathsOverlap } from "./workspace-path.ts";
