export { openDurability, type Durability } from "./durability.ts";
export type { Pass } from "./epoch-gate.ts";
export { promiseOf, type Promised } from "./promise.ts";
export { readServerFacts } from "./server-facts.ts";
