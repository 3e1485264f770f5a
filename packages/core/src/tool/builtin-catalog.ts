import { BUILTIN_MANIFESTS } from "./builtin.ts";
import { createCatalog, type ToolCatalog } from "./catalog.ts";

/** Made once in a process: every other catalog takes its compiled schemas over. */
export const BUILTIN_CATALOG: ToolCatalog = createCatalog(BUILTIN_MANIFESTS);
