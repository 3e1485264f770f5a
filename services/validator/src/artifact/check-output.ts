// Takes a valid output that the workspace has a say in, gives a call of the validator's own to the executor: decided,
// stored and unlocked like any other, under a key that no item of the response can have.
import { ownCallKey, type AttemptParts, type OwnCall } from "@airlock/core/record";
import { sealArguments } from "@airlock/core/run";
import { askPeople } from "../approval/ask-people.ts";
import type { Deps } from "../deps.ts";
import { endOver } from "../outcome/end-over.ts";
import { endRun } from "../outcome/end-run.ts";
import type { Followed } from "../outcome/log-response.ts";
import { pathEvents } from "../verdict/judge-item.ts";
import type { AdmittedRun } from "../verdict/judgement.ts";
import { judgeOwnCall, type OwnCallJudged } from "./judge-own-call.ts";

/** A check is the run's first call of the turn and costs it nothing; what applies is a call with effects like any other. */
const CALLS = {
  check: { leaves: "streaming", charge: 0 },
  apply: { leaves: "calls", charge: 1 },
} as const satisfies Record<OwnCall, { readonly leaves: "streaming" | "calls"; readonly charge: number }>;

/** May be repeated: each step compares before it writes. Null where another handler had been there. */
export async function checkOutput(
  deps: Deps,
  { run, attempt }: { readonly run: AdmittedRun; readonly attempt: AttemptParts },
  own: OwnCall,
): Promise<Followed | null> {
  const itemKey = ownCallKey(attempt, own);
  const judged = await judgeOwnCall(deps, run, itemKey);
  if (judged === null) return refuse(deps, attempt, { errorClass: "ARTIFACT_INVALID", detail: undefined });
  await store(deps, itemKey, judged);
  const { state, detail } = judged.judgement.fields;
  const { errorClass } = judged.judgement;
  const asks = state === "AWAITING_APPROVAL";
  if (judged.judgement.grantable === null && !asks) {
    return refuse(deps, attempt, { errorClass, detail: typeof detail === "string" ? detail : undefined });
  }
  const { leaves, charge } = CALLS[own];
  const { answer } = await deps.store.unlock(attempt, {
    stages: new Map([[itemKey, "waiting"]]),
    needs: new Map(),
    calls: charge,
    mutatingCalls: charge,
    limits: run.limits,
    runState: asks ? "awaiting_approval" : "running",
    leaves,
  });
  if (answer === "stale") return null;
  if (answer === "unlocked" && asks) await askPeople(deps, run, itemKey);
  if (answer === "unlocked") return "check_artifact";
  await endOver(deps, attempt, { over: answer, calls: [itemKey] });
  return "end_run";
}

async function store(
  deps: Deps,
  itemKey: string,
  { manifest, args, judgement }: OwnCallJudged,
): Promise<void> {
  await deps.store.decideOwn(
    itemKey,
    {
      tool: manifest.name,
      callId: "",
      argumentsKind: "json",
      bytes: Buffer.byteLength(JSON.stringify(args)),
      ...judgement.fields,
    },
    {
      sealedArguments: sealArguments(deps.keyring, itemKey, args),
      events: pathEvents({ itemKey, tool: manifest.name }, judgement),
    },
  );
}

async function refuse(
  deps: Deps,
  attempt: AttemptParts,
  why: Pick<Parameters<typeof endRun>[2], "errorClass"> & { readonly detail: string | undefined },
): Promise<Followed> {
  const { errorClass, detail } = why;
  await endRun(deps, attempt, {
    state: "escalated",
    errorClass,
    ...(detail === undefined ? {} : { detail }),
  });
  return "end_run";
}
