export type { ActingAccess } from "../access.ts";
export { awaitAnswer, endOfAudit } from "./await-answer.ts";
export { awaitSwitch } from "./await-switch.ts";
export { cancelRun, sendAction, sendKill, sendResolution, submitRun } from "./commands.ts";
