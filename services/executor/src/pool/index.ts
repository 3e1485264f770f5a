export { startHeartbeat, type Heartbeat } from "./heartbeat.ts";
