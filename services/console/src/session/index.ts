export { registerSessionRoutes } from "./session-routes.ts";
export { createSessions } from "./sessions.ts";
export { whileSession } from "./while-session.ts";
