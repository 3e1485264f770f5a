export { promiseOf, readServerFacts, type Promised } from "./durability/index.ts";
export { startExecutor } from "./start.ts";
export { operatorBodies } from "./tools/index.ts";
