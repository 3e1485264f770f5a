export { startValidator } from "./start.ts";
