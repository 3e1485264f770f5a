import { z } from "zod";
import { globalKeys, type Redis } from "@airlock/core/store";

const KEPT = 100_000;

const entrySchema = z.object({
  /** the principal's name; of a failed login, the one that was tried */
  by: z.string(),
  via: z.string(),
  /** a route's pattern with its method, or `login` */
  action: z.string(),
  /** what it was done to: the values of the route's parameters */
  target: z.string().optional(),
  /** `asked` before it is done; afterwards the status under the same request */
  outcome: z.string(),
  address: z.string(),
  request: z.string().optional(),
});
export type AuditEntry = z.infer<typeof entrySchema>;
export interface AuditRecord extends AuditEntry {
  /** of the stream: milliseconds of Redis' clock, and a number */
  readonly id: string;
}

export interface Audit {
  /** Rejects where Redis doesn't take it: then the action is not done either. */
  write(entry: AuditEntry): Promise<void>;
}

export function createAudit(redis: Redis): Audit {
  return {
    async write(entry) {
      const fields = Object.entries(entry).flatMap(([name, value]) =>
        value === undefined ? [] : [name, value.slice(0, 500)],
      );
      await redis.xadd(globalKeys.consoleAudit, "MAXLEN", "~", KEPT, "*", ...fields);
    },
  };
}

/** The latest entries, newest first; `before` is the id of the last one that was seen. */
export async function readAudit(
  redis: Redis,
  { limit, before }: { readonly limit: number; readonly before?: string | undefined },
): Promise<readonly AuditRecord[]> {
  const from = before === undefined ? "+" : `(${before}`;
  const entries = await redis.xrevrange(globalKeys.consoleAudit, from, "-", "COUNT", limit);
  return entries.flatMap(([id, fields]) => {
    const pairs = fields.flatMap((name, at) => (at % 2 === 0 ? [[name, fields[at + 1] ?? ""] as const] : []));
    const entry = entrySchema.safeParse(Object.fromEntries(pairs));
    return entry.success ? [{ id, ...entry.data }] : [];
  });
}
