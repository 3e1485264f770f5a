export type { Misbehaviour } from "./fixture/index.ts";
export { startGateway, type Gateway, type GatewayEvent, type GatewayOptions } from "./gateway.ts";
export type { PlayedRequest } from "./handle.ts";
export type { AnthropicRequest, ChatRequest, GeminiRequest, ResponsesRequest } from "./request/index.ts";
export { composeBody, composeStream, type ComposedItem, type ComposedTurn } from "./compose/index.ts";
