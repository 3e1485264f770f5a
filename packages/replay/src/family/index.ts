export { openaiError, type ErrorBody } from "./errors.ts";
export { familyOf, type GatewayFamily } from "./families.ts";
