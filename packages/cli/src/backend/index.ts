export { ANSWER_MS, type AskedAnswer, type Backend } from "./backend.ts";
export { openBackend } from "./open-backend.ts";
