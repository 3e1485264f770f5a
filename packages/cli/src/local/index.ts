export { dataPaths } from "./data-paths.ts";
export { findProgram } from "./find-program.ts";
export { REDIS_PROGRAMS } from "./redis-program.ts";
export { gatewayRoutes, routesFile, routesText } from "./routes-file.ts";
export { serviceEnvironment } from "./service-environment.ts";
export type { PartStatus } from "./part-status.ts";
export { startLocal, type Local, type LocalEvent, type LocalOptions } from "./start.ts";
export { readUpRecord } from "./up-record.ts";
