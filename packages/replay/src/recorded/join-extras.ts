/** In come the pieces of what a provider adds of its own, out come the whole fields, as they have to be sent back. */
import { isRecord, type RecordedItem } from "./events.ts";

/** Texts that come in pieces; any other value is whole each time, and the last one stands. */
const PIECEWISE: ReadonlySet<string> = new Set([
  "content",
  "reasoning",
  "reasoning_content",
  "reasoning_text",
  "summary",
  "text",
  "thinking",
]);

export function joinExtras(pieces: readonly RecordedItem[], without: readonly string[]): RecordedItem {
  const joined: Record<string, unknown> = {};
  for (const piece of pieces) {
    for (const [key, value] of Object.entries(piece)) {
      if (value === null || without.includes(key)) continue;
      joined[key] = join(joined[key], value, PIECEWISE.has(key));
    }
  }
  return joined;
}

function join(earlier: unknown, value: unknown, piecewise: boolean): unknown {
  if (Array.isArray(value)) {
    return value.reduce<readonly unknown[]>(addMember, Array.isArray(earlier) ? earlier : []);
  }
  if (isRecord(value)) return joinExtras(isRecord(earlier) ? [earlier, value] : [value], []);
  return piecewise && typeof value === "string" && typeof earlier === "string" ? earlier + value : value;
}

/** Members of one index and type are pieces of one member. */
function addMember(members: readonly unknown[], member: unknown): readonly unknown[] {
  const clean = join(undefined, member, false);
  if (!isRecord(member) || typeof member["index"] !== "number") return [...members, clean];
  const at = members.findIndex(
    (known) => isRecord(known) && known["index"] === member["index"] && known["type"] === member["type"],
  );
  return at < 0 ? [...members, clean] : members.with(at, join(members[at], member, false));
}
