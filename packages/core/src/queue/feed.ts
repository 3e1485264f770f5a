import { noticeSchema, type Notice } from "../contract/index.ts";
import { globalKeys, type Redis } from "../store/index.ts";

/** How many notices the feed keeps, about. */
const NOTICES_KEPT = 10_000;

/** Tells whoever reads the feed. A caller that has to be sure tells before it acknowledges, so a notice may come twice. */
export async function sendNotice(redis: Redis, notice: Notice): Promise<void> {
  const text = JSON.stringify(noticeSchema.parse(notice));
  await redis.xadd(globalKeys.feed, "MAXLEN", "~", NOTICES_KEPT, "*", "n", text);
}

/** Reads one entry of the feed; null where a newer build wrote it, or somebody who does not know its form. */
export function readNotice([, text]: readonly string[]): Notice | null {
  if (text === undefined) return null;
  const parsed = noticeSchema.safeParse(jsonOf(text));
  return parsed.success ? parsed.data : null;
}

/** Undefined, which is no notice, for what is no JSON. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
