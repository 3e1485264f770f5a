export { readSpecFile, readSpecTemplate, specFromText } from "./read-spec.ts";
export { soleModel } from "./sole-model.ts";
export { specFromFlags, type SpecFlags } from "./spec-from-flags.ts";
