export { ANSWER_MS, type Backend } from "./backend.ts";
export { openBackend } from "./open-backend.ts";
