// Ids in, of each run only what a list shows out, in one round trip: the plan and the artifact of ten thousand runs would
// be megabytes. Refuses, one by one, what another build wrote.
import { AirlockError } from "../fault/index.ts";
import { fieldsOf, runKeys, type Redis } from "../store/index.ts";
import { runHashSchema, type RunHash } from "./records.ts";

const HEAD_FIELDS = {
  state: true,
  route: true,
  model: true,
  policy: true,
  requestedBy: true,
  labels: true,
  createdAt: true,
  endedAt: true,
  turn: true,
  calls: true,
  outputTokens: true,
  pool: true,
  errorClass: true,
  detail: true,
} as const satisfies Partial<Record<keyof RunHash, true>>;

const runHeadSchema = runHashSchema.pick(HEAD_FIELDS);
const FIELDS = Object.keys(HEAD_FIELDS);

export type RunHead = Pick<RunHash, keyof typeof HEAD_FIELDS>;

/** In the order of `runs`; null where there is none, the refusal where a record can't be read. */
export async function readRunHeads(
  redis: Redis,
  runs: readonly string[],
): Promise<readonly (RunHead | AirlockError | null)[]> {
  const pipeline = redis.pipeline();
  for (const run of runs) pipeline.hmget(runKeys(run).run, ...FIELDS);
  const answers = (await pipeline.exec()) ?? [];
  return runs.map((run, at) => {
    const [error, values] = answers[at] ?? [new Error(`Redis gave no answer for run ${run}`)];
    if (error) throw error;
    return headOf(runKeys(run).run, values);
  });
}

function headOf(key: string, values: unknown): RunHead | AirlockError | null {
  const list: readonly unknown[] = Array.isArray(values) ? values : [];
  const found = FIELDS.flatMap((field, at): [string, string][] => {
    const value = list[at];
    return typeof value === "string" ? [[field, value]] : [];
  });
  try {
    return fieldsOf(runHeadSchema, key, Object.fromEntries(found));
  } catch (error) {
    if (error instanceof AirlockError) return error;
    throw error;
  }
}
