export {
  ACTION_ANSWERS,
  actionAnswerSchema,
  ACTIONS,
  actionRecordSchema,
  readActions,
  type Action,
  type ActionAnswer,
  type ActionRecord,
  type RunAction,
} from "./actions.ts";
export type { Settlement } from "./call-writes.ts";
export { openArguments, openClaims, sealArguments, sealClaims } from "./claims.ts";
export {
  CONTRACT_SCENARIOS,
  meetsDemand,
  SCENARIO_DEMANDS,
  type ContractScenario,
} from "./contract-scenario.ts";
export {
  readConversation,
  rememberPieces,
  sealPiece,
  type PieceOpener,
  type PiecePlace,
} from "./conversation.ts";
export { callDependencies, turnProgress, type ClaimedCall } from "./dependencies.ts";
export { killedBy, readKillSwitches, turnSwitch, type KillSwitch, type Stoppable } from "./kill-switches.ts";
export { openPreview, sealPreview } from "./preview.ts";
export { openProviderText, sealProviderText } from "./provider-text.ts";
export { openRecording, sealRecording } from "./recording.ts";
export { openRaw, sealRaw } from "./raw-response.ts";
export { NO_REPOSITORIES, parseRepositories, type Repositories } from "./repositories.ts";
export {
  DEFAULT_QUOTA,
  repositoriesDocumentSchema,
  type FetchCredentials,
  type PrepareStep,
  type Quota,
  type Repository,
} from "./repository-document.ts";
export {
  awaitPool,
  beatPool,
  bindPool,
  isLiveMember,
  joinPool,
  leavePool,
  POOL_BEAT_MS,
  readPool,
  readPools,
  recountPools,
  type Pool,
  type PoolMember,
} from "./pools.ts";
export { readRunHeads, type RunHead } from "./run-heads.ts";
export { readRunDiff, runDiffSchema, writeRunDiff, type RunDiff } from "./run-diff.ts";
export {
  readAttempt,
  readCall,
  readItem,
  readItemRecord,
  readResponseId,
  readRun,
  readTurn,
} from "./reads.ts";
export {
  callHashSchema,
  runPlanSchema,
  type AttemptHash,
  type CallDecision,
  type CallHash,
  type CallStage,
  type RunHash,
  type RunPlan,
  type TurnCall,
  type TurnHash,
} from "./records.ts";
export { refusalReason, tellableRefusal, type RefusalReason } from "./refusal-reason.ts";
export { limitsSchema, parseRunSpec, runSpecSchema, type RunSpec } from "./spec.ts";
export { isFinalRun, RUN_STATES, runStateSchema, type FinalRunState, type RunState } from "./states.ts";
export {
  createStreamerStore,
  type AttemptCommit,
  type BeginAttemptAnswer,
  type StreamerStore,
} from "./streamer-store.ts";
export { keepSpec, readSpec, writeSpec } from "./submit.ts";
export { createValidatorStore, type RefusedOutput, type ValidatorStore } from "./validator-store.ts";
export { modelPattern, parseRoutes, reportScope, type Route, type Routes } from "./routes.ts";
export { sourceAllowed } from "./source-allowed.ts";
export {
  createRouteBreaker,
  readBreaker,
  type BreakerSettings,
  type BreakerState,
  type ContractFinding,
  type RouteBreaker,
} from "./route-breaker.ts";
export { createRouteLimiter, SLOT_LEASE_MS, type RouteLimiter, type RouteLimits } from "./route-limiter.ts";
export { openStopSequences, sealStopSequences } from "./stop-sequences.ts";
