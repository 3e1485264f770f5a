export { AirlockError } from "./airlock-error.ts";
export { CALL_ADVICE, callAdvice, type CallClass } from "./call-advice.ts";
export { assertNever } from "./assert-never.ts";
export { ERROR_CLASSES, isErrorClass, type ErrorClass } from "./error-classes.ts";
export { namesOf } from "./names-of.ts";
export { ERRORS, type ErrorCode, type RetryClass } from "./errors.ts";
