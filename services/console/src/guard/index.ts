export { addressOf, type Address } from "./address.ts";
export { answerFailure, registerFailures } from "./failures.ts";
export { registerGuard, type RouteRole } from "./guard.ts";
export { refuse, REFUSALS, type Refusal } from "./refusal.ts";
