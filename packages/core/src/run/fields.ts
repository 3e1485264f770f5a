/** Fields for a hash as the scripts take them: one JSON object of strings; null and undefined are left out. */
export function fieldText(
  fields: Readonly<Record<string, string | number | boolean | object | null | undefined>>,
): string {
  const entries = Object.entries(fields).flatMap(([name, value]) =>
    value === null || value === undefined
      ? []
      : [[name, typeof value === "object" ? JSON.stringify(value) : String(value)]],
  );
  return JSON.stringify(Object.fromEntries(entries));
}

/** How an output budget stands in a hash: empty for none. */
export function budgetText(maxOutputTokens: number | null): string {
  return maxOutputTokens === null ? "" : String(maxOutputTokens);
}
