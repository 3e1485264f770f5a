export {
  DEFAULT_SANDBOX_LIMITS,
  type OperatorProgram,
  type ProbeReport,
  type SandboxBackend,
  type SandboxLimits,
  type SandboxRequest,
  type SandboxResult,
  type SandboxSession,
} from "./backend.ts";
export { createBwrapBackend, type BwrapConfig } from "./bwrap-backend.ts";
export { bwrapArguments, type BwrapPlan } from "./bwrap-arguments.ts";
export { createOutputCollector, type CappedOutput } from "./capped-output.ts";
export { resolveProgram, type ProgramPlaces } from "./operator-program.ts";
export {
  GUARANTEES,
  missingGuarantees,
  REQUIRED_GUARANTEES,
  type Guarantee,
  type ToolClass,
} from "./guarantees.ts";
export { processMarker } from "./process-tree.ts";
