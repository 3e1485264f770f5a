// The list of calls of unknown outcome in, their ledger entries out, page by page; an item key in, all that the ledger has of the call and,
// if asked for, what its probe is held against and what it gave, where the local keys open it.
import { z } from "zod";
import { AirlockError } from "@airlock/core/fault";
import { createLedger, unknownOf, type LedgerEntry } from "@airlock/core/ledger";
import { isRunId, itemKey, openSealed, parseItemKey, type Keyring } from "@airlock/core/record";
import { readCall } from "@airlock/core/run";
import { globalKeys, runKeys, type Redis } from "@airlock/core/store";
import { fillPage, walkPages, type PageQuery } from "./index-page.ts";

interface Deps {
  readonly redis: Redis;
  readonly keyring: Keyring;
}

/** Times are ISO 8601, of Redis' clock. */
export const ledgerDocumentSchema = z.strictObject({
  itemKey: z.string(),
  state: z.string(),
  /** what was published as the outcome; null while nothing was */
  published: z.string().nullable(),
  tool: z.string(),
  effect: z.string(),
  grant: z.int(),
  fence: z.int(),
  /** who holds it, or held it last */
  owner: z.string(),
  /** the start whose end nobody saw */
  lost: z.strictObject({ owner: z.string(), fence: z.int() }).nullable(),
  startedAt: z.string().nullable(),
  unknownAt: z.string().nullable(),
  leaseUntil: z.string().nullable(),
  sandbox: z.string().nullable(),
  status: z.string().nullable(),
  errorClass: z.string().nullable(),
  resultBytes: z.int().nullable(),
  /** whether there is something that a probe can be held against */
  probe: z.boolean(),
  /** a result that came too late to be the outcome */
  evidence: z.strictObject({ fence: z.int(), status: z.string(), at: z.string() }).nullable(),
  resolution: z.strictObject({ finding: z.string(), by: z.string(), reason: z.string() }).nullable(),
  /** null where it was not asked for */
  raw: z.strictObject({ expected: z.string().nullable(), result: z.string().nullable() }).nullable(),
});
export type LedgerDocument = Readonly<z.infer<typeof ledgerDocumentSchema>>;

const UNKNOWN: ReadonlySet<string> = new Set(["OUTCOME_UNKNOWN", "RECONCILING", "NEEDS_HUMAN"]);

export const unknownPageSchema = z.strictObject({
  calls: z.array(ledgerDocumentSchema).readonly(),
  /** null at the end. A page may be short and have one: then few of those that were looked at are unknown still. */
  next: z.string().nullable(),
});
export type UnknownPage = Readonly<z.infer<typeof unknownPageSchema>>;

const PAGE = 200;
const INDEX = { key: globalKeys.unknowns, order: "rising", from: 0 } as const;

/** The oldest first, of one run or of all. */
export function listUnknown(deps: Deps, run: string | null): Promise<readonly LedgerDocument[]> {
  return walkPages({ limit: Infinity, size: PAGE }, async (query) => {
    const { calls, next } = await listUnknownPage(deps, { ...query, run });
    return { entries: calls, next };
  });
}

/** The oldest first; of one run all, as few as its calls are. Throws USAGE for a cursor that is none. */
export async function listUnknownPage(
  deps: Deps,
  { run, ...query }: PageQuery & { readonly run: string | null },
): Promise<UnknownPage> {
  if (run !== null) return { calls: await unknownInRun(deps, run), next: null };
  const page = await fillPage({ redis: deps.redis, index: INDEX }, query, (ids) =>
    Promise.all(ids.map((id) => unknownDocument(deps, id))),
  );
  return { calls: page.entries, next: page.next };
}

async function unknownInRun(deps: Deps, run: string): Promise<readonly LedgerDocument[]> {
  if (!isRunId(run)) return [];
  const keys = await unknownOf(deps.redis, itemKey({ run, turn: 1, attempt: 1, ordinal: 0 }));
  const found = await Promise.all(keys.map((key) => unknownDocument(deps, key)));
  return found
    .filter((each) => each !== null)
    .toSorted((a, b) => (a.unknownAt ?? "").localeCompare(b.unknownAt ?? ""));
}

/** The list is written beside the entries, so it may still name one that was settled meanwhile. */
async function unknownDocument(deps: Deps, key: string): Promise<LedgerDocument | null> {
  const document = await documentOf(deps, key, false);
  return document !== null && UNKNOWN.has(document.state) ? document : null;
}

/** Throws RUN_NOT_FOUND for a call that no executor ever held, or that the ledger has forgotten. */
export async function readLedger(
  deps: Deps,
  itemKey: string,
  { raw }: { readonly raw: boolean },
): Promise<LedgerDocument> {
  const found = parseItemKey(itemKey) === null ? null : await documentOf(deps, itemKey, raw);
  if (found !== null) return found;
  throw new AirlockError(
    "RUN_NOT_FOUND",
    `the ledger has no call ${itemKey}; \`airlock show RUN\` lists the calls of a run`,
  );
}

async function documentOf(deps: Deps, itemKey: string, raw: boolean): Promise<LedgerDocument | null> {
  const [entry, call] = await Promise.all([
    createLedger(deps.redis).read(itemKey),
    readCall(deps.redis, itemKey),
  ]);
  if (entry === null) return null;
  const { evidence, lost, resolution } = entry;
  return {
    itemKey,
    state: entry.state,
    published: call?.settled ?? null,
    tool: entry.tool,
    effect: entry.effect,
    grant: entry.grant,
    fence: entry.fence,
    owner: entry.owner,
    lost: lost === undefined ? null : { owner: lost.owner, fence: lost.fence },
    startedAt: iso(entry.startedAt),
    unknownAt: iso(entry.unknownAt),
    leaseUntil: iso(entry.leaseUntil),
    sandbox: entry.sandbox ?? null,
    status: entry.status ?? null,
    errorClass: entry.errorClass ?? null,
    resultBytes: entry.resultBytes ?? null,
    probe: entry.expected !== undefined,
    evidence:
      evidence === undefined
        ? null
        : { fence: evidence.fence, status: evidence.status, at: new Date(evidence.at).toISOString() },
    resolution: resolution ?? null,
    raw: raw ? await rawOf(deps, itemKey, entry) : null,
  };
}

async function rawOf(
  { redis, keyring }: Deps,
  itemKey: string,
  { expected }: LedgerEntry,
): Promise<LedgerDocument["raw"]> {
  const keys = runKeys(parseItemKey(itemKey)?.run ?? "");
  const result = keys.result(itemKey);
  const open = (place: string, sealed: string | null | undefined): string | null =>
    sealed ? openSealed(keyring, { seal: "calls", place }, sealed) : null;
  return {
    expected: open(`${keys.ledger(itemKey)}#expected`, expected),
    result: open(result, await redis.get(result)),
  };
}

function iso(time: number | undefined): string | null {
  return time === undefined || time === 0 ? null : new Date(time).toISOString();
}
