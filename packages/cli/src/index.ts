export { COMMANDS, parseCommandLine } from "./command/index.ts";
export {
  readUpRecord,
  serviceEnvironment,
  startLocal,
  type Local,
  type LocalOptions,
} from "./local/index.ts";
export { readRunDocument, type RunDocument } from "@airlock/operator/document";
export {
  readResponses,
  replay,
  REPLAY_LIMITS,
  timeline,
  type Registered,
  type ReplayDocument,
  type ReplayItem,
  type ReplayLimits,
  type ReplayOptions,
} from "./replay/index.ts";
