// An id in, its refusals with what people did about them and, if asked for, the content that is still kept and that the
// local keys open.
import { z } from "zod";
import { AirlockError } from "@airlock/core/fault";
import { isRunId, openSealed, parseAttemptKey, parseItemKey } from "@airlock/core/record";
import { ACTION_ANSWERS, actionRecordSchema, openRaw, readActions, readItem } from "@airlock/core/run";
import { runKeys } from "@airlock/core/store";
import { entriesOf, type Deps } from "./quarantine-entries.ts";
import { quarantineEntrySchema, type QuarantineEntry } from "./quarantine-entry.ts";

/** `content` is null where nothing is kept any more, or not for the keys at hand: `note` says which. */
const rawContentSchema = z.strictObject({
  id: z.string(),
  content: z.string().nullable(),
  note: z.string().nullable(),
});
type RawContent = Readonly<z.infer<typeof rawContentSchema>>;

export const quarantineDocumentSchema = z.strictObject({
  id: z.string(),
  entries: z.array(quarantineEntrySchema).readonly(),
  actions: z
    .array(actionRecordSchema.omit({ at: true }).extend({ at: z.string(), done: z.boolean() }))
    .readonly(),
  /** null where it was not asked for */
  raw: z.array(rawContentSchema).readonly().nullable(),
});
export type QuarantineDocument = Readonly<z.infer<typeof quarantineDocumentSchema>>;

/** Throws RUN_NOT_FOUND for a run that is unknown or whose retention is over. */
export async function readQuarantine(
  deps: Deps,
  id: string,
  { raw }: { readonly raw: boolean },
): Promise<QuarantineDocument> {
  const run = id.split(".")[0] ?? "";
  const all = isRunId(run) ? await entriesOf(deps, run) : null;
  if (all === null) {
    throw new AirlockError(
      "RUN_NOT_FOUND",
      `${id}; \`airlock quarantine list --state all\` lists what there is`,
    );
  }
  const entries = all.filter((entry) => entry.id === id || entry.id.startsWith(`${id}.`));
  const actions = await readActions(deps.redis, run);
  const kept = raw ? await Promise.all(entries.map((entry) => rawContent(deps, entry))) : null;
  return {
    id,
    entries,
    actions: actions.map((action) => ({
      ...action,
      at: new Date(action.at).toISOString(),
      done: ACTION_ANSWERS[action.answer].done,
    })),
    raw: kept === null ? null : kept.filter((each) => each !== null),
  };
}

async function rawContent(deps: Deps, entry: QuarantineEntry): Promise<RawContent | null> {
  if (entry.kind === "run") return null;
  const sealed = await sealedContent(deps, entry.id);
  if (sealed === null) return { id: entry.id, content: null, note: goneNote(entry) };
  if (deps.keyring.seals[sealed.seal] === undefined) {
    return { id: entry.id, content: null, note: `the local keys lack the seal \`${sealed.seal}\`` };
  }
  return { id: entry.id, content: sealed.open(), note: null };
}

function goneNote({ kind, rawUntil }: QuarantineEntry): string {
  if (kind === "artifact") return "it is part of the conversation, which the local keys don't open";
  if (rawUntil === null) return "nothing was kept of it";
  return `it was kept until ${rawUntil} and is gone`;
}

interface SealedContent {
  readonly seal: "calls" | "raw";
  readonly open: () => string;
}

async function sealedContent({ redis, keyring }: Deps, id: string): Promise<SealedContent | null> {
  if (parseItemKey(id) !== null) {
    const sealed = (await readItem(redis, id))?.content ?? null;
    const place = runKeys(id.split(".")[0] ?? "").item(id);
    if (sealed === null) return null;
    return { seal: "calls", open: () => openSealed(keyring, { seal: "calls", place }, sealed) };
  }
  const attempt = parseAttemptKey(id);
  const sealed = attempt === null ? null : await redis.get(runKeys(attempt.run).raw(attempt));
  if (attempt === null || sealed === null) return null;
  return { seal: "raw", open: () => Buffer.from(openRaw(keyring, attempt, sealed)).toString("utf8") };
}
