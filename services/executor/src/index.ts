export { startExecutor } from "./start.ts";
export { operatorBodies } from "./tools/index.ts";
