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
export { countedBackend } from "./counted-backend.ts";
export { createBwrapBackend, type BwrapConfig } from "./bwrap-backend.ts";
export { bwrapArguments, type BwrapPlan } from "./bwrap-arguments.ts";
export { bwrapAdvice } from "./bwrap-version.ts";
export { createNoneBackend } from "./none-backend.ts";
export { createOutputCollector, type CappedOutput } from "./capped-output.ts";
export { killMarked, MARK_VARIABLE, processMarker } from "./process-tree.ts";
export { resolveProgram, type ProgramPlaces } from "./operator-program.ts";
export {
  GUARANTEES,
  lacks,
  missingGuarantees,
  REQUIRED_GUARANTEES,
  type Guarantee,
  type ToolClass,
} from "./guarantees.ts";
