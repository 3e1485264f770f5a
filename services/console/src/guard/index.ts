export { answerFailure, registerFailures } from "./failures.ts";
export { registerGuard } from "./guard.ts";
