// A call that waits and the question about it in, what an approver has to see out; refuses arguments that are not the ones
// that the question is bound to: nobody approves what would not run.
import { argumentsDigest } from "@airlock/core/call";
import type { Preview } from "@airlock/core/contract";
import { AirlockError } from "@airlock/core/fault";
import { isJsonObject, parseStrictJson, type JsonObject } from "@airlock/core/json";
import { openSealed, ownCallOf, parseItemKey } from "@airlock/core/record";
import { hostedTool } from "@airlock/core/tool";
import {
  openArguments,
  openClaims,
  openPreview,
  readCall,
  readItem,
  readRun,
  readTurn,
} from "@airlock/core/run";
import { runKeys } from "@airlock/core/store";
import type { Access } from "../access.ts";
import type { ApprovalDocument } from "./approval-schemas.ts";
import { againstTree, shownOf } from "./approval-shown.ts";
import type { Asked } from "./approvals.ts";

type Evidence = ApprovalDocument["evidence"];

/** They were judged before they were asked about; these bounds only keep the reader safe. */
const BOUNDS = { maxBytes: 33_554_432, maxDepth: 64, topLevel: "object" } as const;

export async function evidenceOf(access: Access, asked: Asked): Promise<Evidence> {
  const { ask, call } = asked;
  const { itemKey, tool, nonce, policyDigest } = ask;
  const args = await askedArguments(access, asked);
  const epoch = await epochOf(access, asked);
  return {
    arguments: args,
    shown: againstTree(shownOf(tool, args), await previewOf(access, asked), epoch),
    ...hostedOf(tool),
    claims: call.claims === undefined ? null : openClaims(access.keyring, itemKey, call.claims),
    siblings: await siblingsOf(access, itemKey),
    treeChanged: asked.call.askedEpoch === undefined ? null : asked.call.askedEpoch !== epoch,
    nonce,
    argumentsDigest: ask.argumentsDigest,
    policyDigest,
  };
}

/** An approver has to know that nothing of this runs in Airlock's sandbox, under its limits. */
function hostedOf(tool: string): Pick<Evidence, "hosted"> {
  const origin = hostedTool(tool)?.origin;
  if (origin?.kind !== "mcp") return {};
  return { hosted: { server: origin.server, name: origin.tool, runs: "provider" } };
}

async function askedArguments(access: Access, { ask, call }: Asked): Promise<JsonObject> {
  const { run, itemKey, tool } = ask;
  const [text, hash] = await Promise.all([argumentText(access, ask), readRun(access.redis, run)]);
  const parsed = text === null ? null : parseStrictJson(text === "" ? "{}" : text, BOUNDS);
  const workspace = hash?.plan?.workspace ?? { source: "", ref: "" };
  if (parsed?.ok === true && isJsonObject(parsed.value)) {
    const args = parsed.value;
    const manifestDigest = call.manifestDigest ?? "";
    if (argumentsDigest({ tool, manifestDigest, arguments: args, workspace }) === ask.argumentsDigest)
      return args;
  }
  throw new AirlockError(
    "RECORD_INVALID",
    `the arguments of ${itemKey} are not those that were asked about; deny it`,
  );
}

async function argumentText(
  { redis, keyring }: Access,
  { run, itemKey }: Asked["ask"],
): Promise<string | null> {
  const keys = runKeys(run);
  if (ownCallOf(itemKey) !== null) {
    const sealed = await redis.get(keys.arguments(itemKey));
    return sealed === null ? null : openArguments(keyring, itemKey, sealed);
  }
  const content = (await readItem(redis, itemKey))?.content ?? null;
  return content === null ? null : openSealed(keyring, { seal: "calls", place: keys.item(itemKey) }, content);
}

async function siblingsOf({ redis }: Access, itemKey: string): Promise<Evidence["siblings"]> {
  const parts = parseItemKey(itemKey);
  const turn = parts === null ? null : await readTurn(redis, parts.run, parts.turn);
  const others = [...(turn?.calls.keys() ?? [])].filter((key) => key !== itemKey);
  const calls = await Promise.all(others.map(async (key) => ({ key, call: await readCall(redis, key) })));
  return calls.flatMap(({ key, call }) =>
    call === null ? [] : [{ itemKey: key, tool: call.tool, state: call.settled ?? call.state }],
  );
}

/** The workspace's epoch counts the calls that could change it. */
async function epochOf({ redis }: Access, { ask }: Asked): Promise<number> {
  return Number((await redis.hget(runKeys(ask.run).workspace, "epoch")) ?? "0");
}

/** Only what belongs to this question. */
async function previewOf({ redis, keyring }: Access, { ask }: Asked): Promise<Preview | null> {
  const sealed = await redis.get(runKeys(ask.run).preview(ask.itemKey));
  if (sealed === null) return null;
  const preview = openPreview(keyring, ask.itemKey, sealed);
  return preview.nonce === ask.nonce ? preview : null;
}
