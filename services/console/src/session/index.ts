export { registerSessionRoutes } from "./session-routes.ts";
export { createSessions } from "./sessions.ts";
