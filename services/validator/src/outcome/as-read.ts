import type { ResponseBody } from "@airlock/core/contract";
import { ADAPTERS, INDETERMINATE } from "@airlock/core/wire";
import type { Deps } from "../deps.ts";
import type { AdmittedRun } from "../verdict/judgement.ts";

/** Reports vouch for one version of an adapter: what another version read has no outcome, whatever it says. */
export function asRead(deps: Deps, run: AdmittedRun, body: ResponseBody): ResponseBody {
  const family = deps.routes.get(run.route)?.family;
  if (family !== undefined && ADAPTERS[family].version === body.adapter) return body;
  return { ...body, outcome: INDETERMINATE, errorClass: "ADAPTER_MISMATCH" };
}
