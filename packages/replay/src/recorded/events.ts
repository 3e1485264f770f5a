/** What a client has to replay: an item, a message, a content block or a part. */
export type RecordedItem = Readonly<Record<string, unknown>>;

/** The messages of a recorded stream that hold a JSON object. What is not JSON is skipped: fixtures may be broken on purpose. */
export function recordedEvents(bytes: Uint8Array): readonly RecordedItem[] {
  const text = new TextDecoder().decode(bytes);
  // What follows the last blank line is an event that never ended.
  const blocks = text.split(/(?:\r\n|\n|\r)(?:\r\n|\n|\r)/u).slice(0, -1);
  return blocks.flatMap((block) => {
    const lines = block.split(/\r\n|\n|\r/u).filter((line) => line.startsWith("data:"));
    const event = jsonOrNull(lines.map((line) => line.slice("data:".length)).join("\n"));
    return isRecord(event) ? [event] : [];
  });
}

export function jsonOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

export function isRecord(value: unknown): value is RecordedItem {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The objects of a list; none where there is no list. */
export function recordsOf(value: unknown): readonly RecordedItem[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** Whether a text is one JSON value, as a provider would read it. */
export function isJson(text: string): boolean {
  return text.trim() === "null" || jsonOrNull(text) !== null;
}
