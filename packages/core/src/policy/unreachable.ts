import { isDeepStrictEqual } from "node:util";
import type { ToolCatalog, ToolManifest } from "../tool/index.ts";
import { DECISIONS, isPermitting, type Decision } from "./decision.ts";
import { isJudgedByCommand } from "./rule-matches.ts";
import type { Policy, PolicyRule } from "./policy.ts";
import type { Problem } from "./problems.ts";
import type { PolicyRuleDocument } from "./rule-schema.ts";

/**
 * Rules that can never decide a call, for a reason that holds for every call: a stricter rule matches all that they
 * match, no path is in the scope that their tool needs, or a file that is extended names no rule for their tool.
 */
export function unreachableRules(
  policy: Policy,
  rules: readonly PolicyRuleDocument[],
  catalog: ToolCatalog,
): readonly Problem[] {
  return rules.flatMap((rule, index) => {
    const why =
      coveredBy(rule, rules) ??
      coveredByBase(policy, rule) ??
      outOfScope(policy, rule, catalog.get(rule.tool));
    return why === null
      ? []
      : [{ path: ["rules", index], message: `rule "${rule.id}" can decide nothing: ${why}` }];
  });
}

function coveredBy(rule: PolicyRuleDocument, rules: readonly PolicyRuleDocument[]): string | null {
  const stricter = rules.find((other) => isStricter(other, rule) && covers(other, rule));
  return stricter === undefined
    ? null
    : `rule "${stricter.id}" decides ${stricter.decision} on all that it matches`;
}

function isStricter(left: { readonly decision: Decision }, right: { readonly decision: Decision }): boolean {
  return DECISIONS.indexOf(left.decision) > DECISIONS.indexOf(right.decision);
}

/** Whether all that `rule` matches is matched by `wide`; false where that is not plain to see. */
function covers(wide: PolicyRuleDocument, rule: PolicyRuleDocument): boolean {
  if (wide.tool !== rule.tool) return false;
  if (wide.args !== undefined && !isDeepStrictEqual(wide.args, rule.args)) return false;
  if (wide.command === undefined || isDeepStrictEqual(wide.command, rule.command)) return true;
  // a rule that lets calls run matches a closed shape: only the same shape is plain to see
  if (isPermitting(wide.decision) || wide.command.flags?.forbid !== undefined) return false;
  if (wide.command.exe !== rule.command?.exe) return false;
  const subs = wide.command.sub;
  return subs === undefined || (rule.command.sub?.every((word) => subs.includes(word)) ?? false);
}

function coveredByBase({ layers }: Policy, rule: PolicyRuleDocument): string | null {
  const [, ...bases] = layers;
  for (const { rulesByTool, root } of bases) {
    const inherited = rulesByTool.get(rule.tool) ?? [];
    const stricter = inherited.find((other) => matchesWholeTool(other) && isStricter(other, rule));
    if (stricter !== undefined)
      return `rule "${stricter.id}" of a file extended decides ${stricter.decision} on all calls of its tool`;
    if (root && inherited.length === 0 && rule.decision !== "forbid") {
      return "a file extended names no rule for its tool, and so forbids it";
    }
  }
  return null;
}

function matchesWholeTool({ command, args }: PolicyRule): boolean {
  return command === null && args === null;
}

function outOfScope(
  { layers }: Policy,
  rule: PolicyRuleDocument,
  manifest: ToolManifest | undefined,
): string | null {
  if (manifest === undefined || rule.decision === "forbid" || isJudgedByCommand(rule.tool)) return null;
  const { reads, writes, patches } = manifest.claims;
  const writing = writes.length + patches.length > 0;
  if (writing && layers.some(({ paths }) => paths.write?.empty)) return "paths.write allows no path";
  if (reads.length > 0 && layers.some(({ paths }) => paths.read?.empty)) return "paths.read allows no path";
  return null;
}
