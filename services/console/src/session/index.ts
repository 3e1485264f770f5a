export { sessionCookieOf, setCsrfCookie } from "./cookies.ts";
export { registerSessionRoutes } from "./session-routes.ts";
export { createSessions, type Session, type Sessions } from "./sessions.ts";
