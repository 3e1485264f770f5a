// Takes the validator's wish to know what a call would change, gives a diff against the run's tree, sealed for those who are
// asked about the call; changes nothing, claims nothing, and says nothing where nobody is asked any more.
import type { Preview, PreviewBody } from "@airlock/core/contract";
import { AirlockError } from "@airlock/core/fault";
import { DONE, type Delivery, type Handled } from "@airlock/core/queue";
import { sealPreview } from "@airlock/core/run";
import { redisNow, runKeys } from "@airlock/core/store";
import type { Deps } from "../deps.ts";
import { boundArguments } from "../grant/bound-arguments.ts";
import type { ToolPlan } from "../tools/index.ts";
import { openWorkspaceFs } from "../workspace/index.ts";
import { diffText } from "./diff-text.ts";

type Seen = Pick<Preview, "diff" | "refused">;

export async function onPreview(deps: Deps, { body, signal }: Delivery<"preview">): Promise<Handled> {
  const { redis, keyring } = deps;
  const { run, itemKey, nonce, expiresAt } = body;
  if ((await redisNow(redis)) >= expiresAt) return DONE;
  const epoch = Number((await redis.hget(runKeys(run).workspace, "epoch")) ?? "0");
  const seen = await look(deps, body, signal);
  if (seen === null) return DONE;
  const preview: Preview = { v: 1, nonce, seenAt: await redisNow(redis), epoch, ...seen };
  await redis.set(runKeys(run).preview(itemKey), sealPreview(keyring, itemKey, preview), "PXAT", expiresAt);
  deps.log.write("info", "call_previewed", { itemKey, tool: body.tool });
  return DONE;
}

/** Null where there is nothing to look at: the call is another one by now, or its tool has no preview. */
async function look(deps: Deps, body: PreviewBody, signal: AbortSignal): Promise<Seen | null> {
  const manifest = deps.catalog.get(body.tool);
  const tool = deps.bodies.get(body.tool);
  const args = await boundArguments(deps, body).catch(nothingWhereInvalid);
  if (manifest === undefined || tool === undefined || args === null) return null;
  try {
    const workspace = await deps.workspaces(body, signal);
    const files = await openWorkspaceFs({ ...workspace, serviceUser: deps.serviceUser });
    try {
      const context = {
        files,
        workspace,
        source: body.workspace.source,
        may: () => false,
        session: null,
        missing: [],
        limits: manifest.limits,
        itemKey: body.itemKey,
        name: `${body.itemKey}.${body.nonce}`,
        fenceHolds: () => Promise.resolve(false),
      };
      const plan = await tool.plan(context, args, signal);
      if (plan.kind === "outcome") return { diff: null, refused: refusalOf(plan) };
      return plan.changes === undefined ? null : { diff: await diffText(files, plan.changes), refused: null };
    } finally {
      await files.close();
    }
  } catch (error) {
    if (signal.aborted || !(error instanceof AirlockError)) throw error;
    return { diff: null, refused: "the run's workspace can't be prepared" };
  }
}

function refusalOf({ outcome }: Extract<ToolPlan, { kind: "outcome" }>): string {
  return "detail" in outcome ? outcome.detail : outcome.status;
}

function nothingWhereInvalid(error: unknown): null {
  if (error instanceof AirlockError && error.retry === "never") return null;
  throw error;
}
