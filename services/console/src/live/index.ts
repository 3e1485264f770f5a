export { registerLive } from "./register-live.ts";
