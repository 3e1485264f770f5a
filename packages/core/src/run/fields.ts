/** Fields for a hash as the scripts take them: one JSON object of strings; null and undefined are left out. */
export function fieldText(
  fields: Readonly<Record<string, string | number | boolean | object | null | undefined>>,
): string {
  const entries = Object.entries(fields).flatMap(([name, value]) =>
    value === null || value === undefined
      ? []
      : [[name, typeof value === "object" ? JSON.stringify(value) : wellFormed(String(value))]],
  );
  return JSON.stringify(Object.fromEntries(entries));
}

/** A provider's identifier may hold half a surrogate pair, which has no UTF-8 form and which Lua refuses to read. */
function wellFormed(text: string): string {
  return Buffer.from(text, "utf8").toString("utf8");
}

/** How an output budget stands in a hash: empty for none. */
export function budgetText(maxOutputTokens: number | null): string {
  return maxOutputTokens === null ? "" : String(maxOutputTokens);
}
