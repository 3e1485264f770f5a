export { connectOrRefuse, dataFolder, openSession, redisUrlFor, type Session } from "./session.ts";
