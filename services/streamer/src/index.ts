export { startStreamer } from "./start.ts";
