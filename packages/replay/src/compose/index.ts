export { composeBody, composeStream } from "./compose.ts";
export type { ComposedItem, ComposedTurn } from "./turn.ts";
