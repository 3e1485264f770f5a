export { openDurability, type Durability } from "./durability.ts";
export type { Pass } from "./epoch-gate.ts";
