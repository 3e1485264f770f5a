export {
  assertSubmitted,
  readRunDocument,
  type AttemptDocument,
  type CallDocument,
  type RunDocument,
  type TurnDocument,
} from "./run-document.ts";
export { listRuns, type RunListEntry } from "./run-list.ts";
