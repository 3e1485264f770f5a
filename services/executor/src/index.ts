export { startExecutor } from "./start.ts";
