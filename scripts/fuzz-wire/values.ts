/** Undefined for what is no JSON, which equals nothing that could run. */
export function readText(text: unknown): unknown {
  if (typeof text !== "string" && (text ?? null) !== null) return undefined;
  if (typeof text !== "string" || text.trim() === "") return {};
  try {
    return JSON.parse(text) as unknown;
  } catch {
    // What the oracle can't read, nothing may run on.
    return undefined;
  }
}

/** The same value with ordinary prototypes, as `JSON.parse` makes them. */
export function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value)) as unknown;
}
