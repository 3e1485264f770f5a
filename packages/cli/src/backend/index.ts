export { ANSWER_MS, type AskedAction, type Backend } from "./backend.ts";
export { openBackend } from "./open-backend.ts";
