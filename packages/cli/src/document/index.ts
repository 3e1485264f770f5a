export { assertSubmitted, readRunDocument, type CallDocument, type RunDocument } from "./run-document.ts";
export { listRuns, type RunListEntry } from "./run-list.ts";
