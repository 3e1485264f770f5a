export {
  followEvents,
  followPlaced,
  readEvents,
  readPlaced,
  type PlacedEvent,
  type TimedEvent,
} from "./follow-events.ts";
