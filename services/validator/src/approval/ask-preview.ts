// A parked question in, the executors' wish to look what the call would change out, for those who are asked; nothing waits for
// it. Leaves out calls that change no files by name, and runs that no executor could look at.
import type { AskBody } from "@airlock/core/contract";
import type { CallHash } from "@airlock/core/run";
import { hasPreview } from "@airlock/core/tool";
import type { Deps } from "../deps.ts";
import { poolOf } from "../pool/bind-run.ts";
import type { AdmittedRun } from "../verdict/judgement.ts";

export async function askPreview(
  deps: Deps,
  run: AdmittedRun,
  { ask, call }: { readonly ask: AskBody; readonly call: CallHash },
): Promise<void> {
  const { workspace } = run.plan;
  if (workspace === null || call.manifestDigest === undefined || !hasPreview(ask.tool)) return;
  const pool = await poolOf(deps, ask.run, run);
  if (pool === null) return;
  const { itemKey, nonce, tool, argumentsDigest, expiresAt } = ask;
  await deps.publisher.publish(
    deps.publisher.sign({
      purpose: "preview",
      body: {
        version: 1,
        run: ask.run,
        itemKey,
        nonce,
        tool,
        manifestDigest: call.manifestDigest,
        argumentsDigest,
        workspace,
        pool,
        expiresAt,
      },
    }),
  );
}
