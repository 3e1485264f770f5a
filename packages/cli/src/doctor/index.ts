export { checkMachine, type Check } from "./checks.ts";
export type { Facts } from "./facts.ts";
export { gatherFacts } from "./gather.ts";
export { redisFact } from "./redis-fact.ts";
