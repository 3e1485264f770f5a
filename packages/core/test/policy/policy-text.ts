/** A policy file around the given rules; each rule is one line of flow YAML. */
export function policyText(rules: readonly string[], extra: readonly string[] = []): string {
  return [
    "apiVersion: airlock.policy/v1",
    "mode: enforce",
    ...extra,
    ...(rules.length === 0 ? [] : ["rules:"]),
    ...rules.map((rule) => `  - ${rule}`),
    "",
  ].join("\n");
}
