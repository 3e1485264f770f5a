export { dataPaths, type DataPaths } from "./data-paths.ts";
export { findProgram } from "./find-program.ts";
export { REDIS_PROGRAMS } from "./redis-program.ts";
export { routesFile, routesText } from "./routes-file.ts";
export { serviceEnvironment } from "./service-environment.ts";
export { startLocal, type Local, type LocalOptions, type PartStatus } from "./start.ts";
export { readUpRecord, type UpRecord } from "./up-record.ts";
