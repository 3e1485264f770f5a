// Takes a call whose end nobody saw, gives what became of it: nothing of it runs any more, and then the write-ahead log or
// the tool's own probe say it, or nobody can. Changes nothing; throws where it could not look.
import { OWN_TOOLS } from "@airlock/core/tool";
import type { ExecutionBody } from "@airlock/core/contract";
import { AirlockError } from "@airlock/core/fault";
import type { LedgerEntry } from "@airlock/core/ledger";
import { prepareCall } from "../call/prepare-call.ts";
import { toolClass } from "../call/tool-classes.ts";
import type { Deps } from "../deps.ts";
import { killMarked, processMarker } from "../sandbox/index.ts";
import { openExpected } from "./expected.ts";
import type { LostStart } from "./lost-start.ts";

export type Finding = "executed" | "not_executed" | "inconclusive";

export interface UnknownCall {
  readonly grant: ExecutionBody;
  readonly entry: LedgerEntry;
  /** the start whose end nobody saw */
  readonly lost: LostStart;
  /** the reconciler's own */
  readonly fence: number;
}

export async function findOut(deps: Deps, call: UnknownCall, signal: AbortSignal): Promise<Finding> {
  const { lost } = call;
  const { itemKey } = call.grant;
  await seeDead(deps, call);
  if (deps.durability.writeAhead.knownStart(itemKey, lost.fence, lost.owner) === false) return "not_executed";
  return probeCall(deps, call, signal);
}

/**
 * What the lost start runs, in a sandbox or outside of one, by its name: it must not outrun the probe. The programs of a
 * command that ran without a sandbox have no name, so nobody can see them dead.
 */
export async function seeDead({ sandbox }: Deps, { grant, lost }: UnknownCall): Promise<void> {
  const name = `${grant.itemKey}.${lost.fence}`;
  const unsandboxed = sandbox === null || sandbox.backend.name === "none";
  if (unsandboxed && toolClass(grant.tool) === "command") {
    throw new AirlockError("WORKSPACE_UNAVAILABLE", "no sandbox here can be told to end what it runs");
  }
  const dead = unsandboxed ? killMarked(processMarker(name)) : sandbox.backend.kill(name);
  if (await dead) return;
  throw new AirlockError("WORKSPACE_UNAVAILABLE", "what the call runs would not die");
}

async function probeCall(deps: Deps, call: UnknownCall, signal: AbortSignal): Promise<Finding> {
  const { grant, entry, fence } = call;
  const { itemKey, tool } = grant;
  const probe = deps.bodies.get(tool)?.probe ?? null;
  const manifest = deps.catalog.get(tool) ?? OWN_TOOLS.get(tool);
  if (probe === null || manifest === undefined || entry.expected === undefined) return "inconclusive";
  const expected = openExpected(deps.keyring, itemKey, entry.expected);
  if (expected === null) return "inconclusive";
  // a probe reads, whatever its tool does
  const prepared = await prepareCall(deps, { ...grant, effect: "read" }, { ...manifest.limits, signal });
  if (!prepared.ok) throw new AirlockError("WORKSPACE_UNAVAILABLE", prepared.detail);
  const { files, session, workspace } = prepared;
  const context = {
    files,
    session,
    workspace,
    source: grant.workspace.source,
    limits: manifest.limits,
    itemKey,
    name: `${itemKey}.probe.${fence}`,
    fenceHolds: async () => (await deps.ledger.read(itemKey))?.fence === fence,
  };
  try {
    return FINDINGS[await probe(context, expected, signal)];
  } finally {
    await prepared.close();
  }
}

const FINDINGS = { done: "executed", not_done: "not_executed", inconclusive: "inconclusive" } as const;
