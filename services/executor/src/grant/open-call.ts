// Takes a verified grant, gives the arguments that it was signed for;
// refuses whatever is not byte for byte what the grant is bound to, and what this executor's own policy doesn't allow.
import type { ExecutionBody } from "@airlock/core/contract";
import { AirlockError, type ErrorClass } from "@airlock/core/fault";
import type { JsonObject } from "@airlock/core/json";
import { ownCallOf } from "@airlock/core/record";
import { manifestDigest, OWN_TOOLS, type ToolManifest } from "@airlock/core/tool";
import type { Deps } from "../deps.ts";
import { boundArguments } from "./bound-arguments.ts";
import { checkApproval } from "./check-approval.ts";
import { decideHere } from "./decide-here.ts";

/** `regrant` sends the call back to the validator, to be decided again: nothing was wrong with the grant itself. */
export type OpenedCall =
  | { readonly ok: true; readonly manifest: ToolManifest; readonly args: JsonObject }
  | CallRefusal;

export interface CallRefusal {
  readonly ok: false;
  readonly errorClass: ErrorClass;
  readonly detail: string;
  readonly regrant?: true;
  /** the model may be told the detail: it quotes neither paths nor arguments, and no rule that is private */
  readonly tellable?: true;
}

export async function openCall(deps: Deps, grant: ExecutionBody): Promise<OpenedCall> {
  try {
    const manifest =
      ownCallOf(grant.itemKey) === "check" ? OWN_TOOLS.get(grant.tool) : deps.catalog.get(grant.tool);
    if (manifest === undefined || manifestDigest(manifest) !== grant.manifestDigest) {
      return refused("TOOL_DRIFT", "the executor has another manifest of this tool");
    }
    const args = await boundArguments(deps, grant);
    if (args === null) return refused("GRANT_INVALID", "the item is not the one that the grant is bound to");
    const refusal =
      (await decideHere(deps, grant, { manifest, args, view: null })) ?? (await checkApproval(deps, grant));
    return refusal ?? { ok: true, manifest, args };
  } catch (error) {
    if (error instanceof AirlockError && error.retry === "never")
      return refused("GRANT_INVALID", error.message);
    throw error;
  }
}

function refused(errorClass: ErrorClass, detail: string): CallRefusal {
  return { ok: false, errorClass, detail };
}
