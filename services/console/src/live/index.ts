export { liveCall, liveFeed, liveRun } from "./live-place.ts";
export { registerLive } from "./register-live.ts";
