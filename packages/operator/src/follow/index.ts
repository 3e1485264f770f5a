export {
  followEvents,
  followPlaced,
  readEvents,
  type PlacedEvent,
  type TimedEvent,
} from "./follow-events.ts";
