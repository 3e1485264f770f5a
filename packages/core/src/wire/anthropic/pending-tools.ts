import type { JsonObject } from "../../json/index.ts";
import { text } from "../fields.ts";
import { blockKind } from "./wire-types.ts";

/** The provider's own tool uses that have no result yet. */
export interface PendingTools {
  see(block: JsonObject): void;
  any(): boolean;
}

export function createPendingTools(): PendingTools {
  const pending = new Set<string>();
  return {
    see(block) {
      if (blockKind(text(block["type"]) ?? "") === "provider_executed") pending.add(text(block["id"]) ?? "");
      // Every kind of result names the use that it answers.
      else pending.delete(text(block["tool_use_id"]) ?? "");
    },
    any: () => pending.size > 0,
  };
}
