import type { JsonObject } from "@airlock/core/json";
import type { Change, FileState } from "../workspace/index.ts";

/** One changed file as the model and the ledger see it. */
export function changeContent(path: string, change: Change): JsonObject {
  return {
    path,
    before: stateContent(change.before),
    after: stateContent(change.after),
    touchesTrustedConfig: change.touchesTrustedConfig,
  };
}

function stateContent(state: FileState | null): JsonObject | null {
  return state === null ? null : { type: state.type, sizeBytes: state.size, sha256: state.sha256 };
}
