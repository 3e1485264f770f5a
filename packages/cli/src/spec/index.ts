export { readSpecFile, readSpecTemplate, specFromText } from "./read-spec.ts";
export { specFromFlags, type SpecFlags } from "./spec-from-flags.ts";
