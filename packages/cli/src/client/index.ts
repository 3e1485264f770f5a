export { awaitAnswer, endOfAudit } from "./await-answer.ts";
export { awaitSwitch } from "./await-switch.ts";
export { cancelRun, sendAction, sendKill, sendResolution, submitRun } from "./commands.ts";
export { followEvents, readEvents, type TimedEvent } from "./follow-events.ts";
export { connectOrRefuse, dataFolder, openSession, redisUrlFor, type Session } from "./session.ts";
export { readReports } from "./read-reports.ts";
