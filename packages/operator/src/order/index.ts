export type { ActingAccess } from "../access.ts";
export { answerCall, signAnswer, storeAnswer, type Answer, type AnswerResult } from "./answer.ts";
export { awaitAnswer, endOfAudit } from "./await-answer.ts";
export { awaitSwitch } from "./await-switch.ts";
export { cancelRun, sendAction, sendKill, sendResolution, submitRun } from "./commands.ts";
