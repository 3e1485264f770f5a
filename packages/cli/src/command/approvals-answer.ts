import path from "node:path";
import { AirlockError } from "@airlock/core/fault";
import type { Keyring, SignedRecord } from "@airlock/core/record";
import { loadKeyring } from "@airlock/core/runtime";
import type { ApprovalDocument } from "@airlock/operator/document";
import { signAnswer, type AnswerResult } from "@airlock/operator/order";
import { plainCell } from "../view/index.ts";
import { DATA_FLAG, JSON_FLAG, type Command, type CommandCall, type CommandContext } from "./command.ts";
import { REASON_FLAGS, reasonOf } from "./reason.ts";
import { withBackend } from "./with-backend.ts";

type Word = "approve" | "deny";

const FLAGS = {
  ...REASON_FLAGS,
  nonce: {
    value: "NONCE",
    doc: "the question that was seen, as `approvals show` names it (the one that stands)",
  },
  json: JSON_FLAG,
  data: DATA_FLAG,
} as const;

export const approvalsApproveCommand: Command = {
  summary: "approves a call that waits; it runs once as many people as policy asks for have approved it",
  details:
    "Look at it first: `airlock approvals show ITEM`. Whoever submitted a run can't approve its calls.",
  positional: { name: "ITEM", required: true },
  flags: FLAGS,
  run: (call, context) => answer("approve", call, context),
};

export const approvalsDenyCommand: Command = {
  summary: "denies a call that waits: no later approval undoes that",
  positional: { name: "ITEM", required: true },
  flags: FLAGS,
  run: (call, context) => answer("deny", call, context),
};

async function answer(word: Word, call: CommandCall, context: CommandContext): Promise<number> {
  const [itemKey, reason] = [call.positional ?? "", reasonOf(call)];
  return withBackend(call, context, async (backend) => {
    const nonce = call.text("nonce") ?? (await backend.approval(itemKey)).evidence.nonce;
    return report(
      { itemKey, word, result: await backend.answer({ itemKey, answer: word, reason, nonce }) },
      call,
      context,
    );
  });
}

const { as: _, ...SIGN_FLAGS } = FLAGS;

export const approvalsSignCommand: Command = {
  summary: "answers with a key of one's own, as `approvals key` makes it, in place of the console's",
  positional: { name: "ITEM", required: true },
  flags: {
    ...SIGN_FLAGS,
    key: { value: "FILE", doc: "the key (required)" },
    approve: { value: null, doc: "approve the call" },
    deny: { value: null, doc: "deny it" },
  },
  async run(call, context) {
    const [itemKey, reason, word] = [call.positional ?? "", reasonOf(call), wordOf(call)];
    const keyring = keyOf(call, context);
    return withBackend(call, context, async (backend) => {
      const document = await backend.approval(itemKey);
      const { nonce } = document.evidence;
      if (call.text("nonce") !== undefined && call.text("nonce") !== nonce)
        return report({ itemKey, word, result: { kind: "gone" } }, call, context);
      const record = signed(keyring, document, { answer: word, reason });
      return report({ itemKey, word, result: await backend.handIn(itemKey, record) }, call, context);
    });
  },
};

function signed(
  keyring: Keyring,
  { run, itemKey, expiresAt, evidence }: ApprovalDocument,
  said: { readonly answer: Word; readonly reason: string },
): SignedRecord {
  const { argumentsDigest, policyDigest, nonce } = evidence;
  const bound = { run, itemKey, argumentsDigest, policyDigest, nonce, expiresAt: Date.parse(expiresAt) };
  return signAnswer(keyring, bound, { ...said, approver: nameOf(keyring), at: Date.now() });
}

/** A key of one's own says whose it is. */
function nameOf(keyring: Keyring): string {
  const own = keyring.trusted.approver.find(({ keyId }) => keyId === keyring.signing.keyId);
  if (own?.name !== undefined) return own.name;
  throw new AirlockError(
    "KEYS_INVALID",
    "--key names nobody; `airlock approvals key NAME` makes a key of one's own",
  );
}

function wordOf(call: CommandCall): Word {
  if (call.on("approve") !== call.on("deny")) return call.on("approve") ? "approve" : "deny";
  throw new AirlockError("USAGE", "say either --approve or --deny");
}

function keyOf(call: CommandCall, { folder }: CommandContext): Keyring {
  const file = call.text("key");
  if (file === undefined) throw new AirlockError("USAGE", "name your key with --key FILE");
  return loadKeyring(path.resolve(folder, file), "approver");
}

const REFUSALS = {
  conflict: "it was decided before, or you have answered before",
  expired: "it came too late: the question has expired",
  requester: "whoever submitted a run can't answer for its calls",
  gone: "the call does not wait, or no longer for this question: look again with `airlock approvals show`",
} as const satisfies Record<Exclude<AnswerResult["kind"], "stored">, string>;

/** Ends with 0 where the answer counts, with 1 where it was refused. */
function report(
  { itemKey, word, result }: { readonly itemKey: string; readonly word: Word; readonly result: AnswerResult },
  call: CommandCall,
  { out }: CommandContext,
): number {
  out.print(
    call.on("json")
      ? JSON.stringify({ itemKey, answer: word, ...result })
      : `${word} of ${plainCell(itemKey)} ${meaningOf(result)}`,
  );
  return result.kind === "stored" ? 0 : 1;
}

function meaningOf(result: AnswerResult): string {
  if (result.kind !== "stored") return `refused: ${REFUSALS[result.kind]}`;
  const { outcome, missing } = result;
  return outcome === "pending" ? `stored: ${missing} more have to approve` : `stored: the call is ${outcome}`;
}
