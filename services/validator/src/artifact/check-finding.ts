import { isJsonObject, parseStrictJson, type JsonValue } from "@airlock/core/json";
import { readCall, type CallHash } from "@airlock/core/run";
import type { Deps } from "../deps.ts";
import { resultText } from "../settlement/result-text.ts";

/** `refused`: the workspace doesn't take the output; `failed`: nobody can say, and it isn't the model's to mend. */
export type CheckFinding =
  | { readonly kind: "passed"; readonly files: JsonValue }
  | { readonly kind: "refused"; readonly detail: string }
  | { readonly kind: "failed"; readonly call: CallHash | null };

/** Classes in which the executor says that the output itself is wrong. */
const REFUSALS: ReadonlySet<JsonValue> = new Set(["ARTIFACT_INVALID", "PATCH_REFUSED"]);
const LIMITS = { maxBytes: 1_048_576, maxDepth: 16, topLevel: "object" } as const;

/** What a call of the validator's own found, by the result that the executor sealed and signed. */
export async function checkFinding(deps: Deps, itemKey: string): Promise<CheckFinding> {
  const call = await readCall(deps.redis, itemKey);
  const text = call === null ? null : await resultText(deps, itemKey, call);
  const parsed = parseStrictJson(text ?? "", LIMITS);
  if (!parsed.ok || !isJsonObject(parsed.value)) return { kind: "failed", call };
  const { status, error, detail, files } = parsed.value;
  if (status === "ok") return { kind: "passed", files: files ?? null };
  if (status !== "refused" || !REFUSALS.has(error ?? null)) return { kind: "failed", call };
  return { kind: "refused", detail: typeof detail === "string" ? detail : "it does not fit" };
}
