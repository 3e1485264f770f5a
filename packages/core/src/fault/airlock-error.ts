import { ERRORS, type ErrorCode, type RetryClass } from "./errors.ts";

/**
 * The one error class: a code from the table, a sentence that names place and fix, and the cause.
 * `detail` is written by the thrower and must never hold prompts, arguments or file content.
 */
export class AirlockError extends Error {
  readonly code: ErrorCode;
  readonly retry: RetryClass;
  /** without the table's sentence */
  readonly detail: string;

  constructor(code: ErrorCode, detail: string, options?: { readonly cause?: unknown }) {
    super(`${ERRORS[code].message}: ${detail}`, options);
    this.name = "AirlockError";
    this.code = code;
    this.detail = detail;
    this.retry = ERRORS[code].retry;
  }
}
