import { z } from "zod";
import { openSealed, sealBody, type Keyring } from "../record/index.ts";
import { runKeys, runScript, type Redis, type Script } from "../store/index.ts";

const lines = z.int().min(0).nullable();

/** `airlock:{run}:diff`, sealed: what a run changed of its workspace. Paths and text are content. */
export const runDiffSchema = z.strictObject({
  version: z.literal(1),
  /** the end of the run that it was taken at, in milliseconds of Redis' clock: a run may go on after an end */
  endedAt: z.number(),
  /** null where none of its calls got as far as a workspace */
  baseRevision: z.string().nullable(),
  /** lines; null for a binary file */
  files: z.array(z.strictObject({ path: z.string(), added: lines, deleted: lines })).readonly(),
  filesTotal: z.int(),
  /** a unified diff from its beginning; `textBytes` is its whole length */
  text: z.string(),
  textBytes: z.int(),
  /** what ignore rules kept out of it, folders as one, from the beginning */
  ignored: z.array(z.string()).readonly(),
  ignoredTotal: z.int(),
  /** folders that were there before the first call, filled by `prepare`: not compared */
  prepared: z.array(z.string()).readonly(),
  /** what could not be read or compared */
  problems: z.array(z.string()).readonly(),
  /** the branch that it was committed on, in the source's repository below `commits` of the volume */
  branch: z.string().nullable(),
});
export type RunDiff = Readonly<z.infer<typeof runDiffSchema>>;

/**
 * Keeps the diff as long as the run, if the run has ended and is still kept.
 *   KEYS 1 diff, 2 run    ARGV 1 sealed diff    Returns 1 | 0
 */
const KEEP_DIFF: Script = {
  name: "run-keep-diff",
  lua: `
local keep = redis.call('HGET', KEYS[2], 'keepUntil')
if not keep then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PXAT', keep)
return 1`,
};

/** False where the run is gone, or goes on again. */
export async function writeRunDiff(
  deps: { readonly redis: Redis; readonly keyring: Keyring },
  run: string,
  diff: RunDiff,
): Promise<boolean> {
  const keys = runKeys(run);
  const sealed = sealBody(deps.keyring, { seal: "calls", place: keys.diff }, JSON.stringify(diff));
  return (await runScript(deps.redis, KEEP_DIFF, { keys: [keys.diff, keys.run], args: [sealed] })) === 1;
}

/** Null where none is kept. Throws SEAL_INVALID where it was edited or moved. */
export async function readRunDiff(
  deps: { readonly redis: Redis; readonly keyring: Keyring },
  run: string,
): Promise<RunDiff | null> {
  const place = runKeys(run).diff;
  const sealed = await deps.redis.get(place);
  if (sealed === null) return null;
  return runDiffSchema.parse(JSON.parse(openSealed(deps.keyring, { seal: "calls", place }, sealed)));
}
