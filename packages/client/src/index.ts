export { createAirlockClient, type AirlockClient, type ClientOptions } from "./client.ts";
export { FollowRefused, followRun, type StreamedEvent } from "./follow-run.ts";
export type { components, operations, paths } from "./generated/api.ts";
