export { followEvents, readEvents, type TimedEvent } from "./follow-events.ts";
