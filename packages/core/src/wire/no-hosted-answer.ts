import { AirlockError } from "../fault/index.ts";

/** Of the families without requests for approval: such an entry is another family's, and no request could carry it. */
export function noHostedAnswer(): never {
  throw new AirlockError(
    "RECORD_INVALID",
    "an answer to a hosted tool stands in a conversation of another family",
  );
}
