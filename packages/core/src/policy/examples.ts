import { canonicalJson, isJsonObject, type JsonObject } from "../json/index.ts";
import { argumentClaims, hostedTool, isHostedTool, type ToolCatalog } from "../tool/index.ts";
import type { Judge } from "../verdict/index.ts";
import { scopeFindings } from "./findings.ts";
import { isJudgedByCommand, readCommand, ruleMatchesCall } from "./rule-matches.ts";
import type { Policy } from "./policy.ts";
import type { Problem } from "./problems.ts";
import type { PolicyExample, PolicyRuleDocument } from "./rule-schema.ts";
import { splitSimpleCommand } from "./command/index.ts";

const EXAMPLE_KEYS = ["match", "notMatch"] as const;

export interface KnownTools {
  readonly catalog: ToolCatalog;
  readonly judge: Judge;
}

/**
 * Runs every example of every rule. One holds under `match` when its rule matches and the path scopes let the call
 * through; under `notMatch` when not both do. An example whose arguments the tool would refuse is a problem itself.
 */
export function exampleProblems(
  policy: Policy,
  rules: readonly PolicyRuleDocument[],
  tools: KnownTools,
): readonly Problem[] {
  return rules.flatMap((rule, index) =>
    EXAMPLE_KEYS.flatMap((key) =>
      (rule[key] ?? []).flatMap((example, position) => {
        const message = exampleProblem({ policy, rule, tools }, { example, key });
        return message === null ? [] : [{ path: ["rules", index, key, position], message }];
      }),
    ),
  );
}

interface RuleInPolicy {
  readonly policy: Policy;
  readonly rule: PolicyRuleDocument;
  readonly tools: KnownTools;
}

interface KeyedExample {
  readonly example: PolicyExample;
  readonly key: (typeof EXAMPLE_KEYS)[number];
}

function exampleProblem(place: RuleInPolicy, { example, key }: KeyedExample): string | null {
  const { rule, tools } = place;
  const object = argumentObject(example);
  if (object === null && !isJudgedByCommand(rule.tool)) {
    return `the example of rule "${rule.id}" is no argument object; ${rule.tool} takes no command: write key: value, as in a call`;
  }
  const args = object ?? commandArguments(example);
  if (args === null && key === "notMatch" && typeof example === "string") return null;
  if (args === null)
    return `the example of rule "${rule.id}" is not one simple command, argv list or argument object`;
  const refused = argumentProblem(tools, rule.tool, args);
  if (refused !== null) return `the example of rule "${rule.id}" is no valid call: ${refused}`;
  const passes = passesRule(place, args);
  if (passes === (key === "match")) return null;
  return passes
    ? `rule "${rule.id}" matches an example under notMatch`
    : `rule "${rule.id}" does not match an example under match`;
}

function argumentObject(example: PolicyExample): JsonObject | null {
  return typeof example !== "string" && !Array.isArray(example) && isJsonObject(example) ? example : null;
}

/** `null` for a text that is not one simple command: it could not run as argv at all. */
function commandArguments(example: PolicyExample): JsonObject | null {
  const argv = typeof example === "string" ? splitSimpleCommand(example) : example;
  return Array.isArray(argv) ? { argv } : null;
}

function argumentProblem({ judge }: KnownTools, tool: string, args: JsonObject): string | null {
  if (isHostedTool(tool)) return null; // its schema is the provider's
  const content = canonicalJson(args);
  const verdict = judge.judge({ name: tool, argumentsKind: "json", content, allowedTools: new Set([tool]) });
  return verdict.status === "QUARANTINED" ? verdict.detail : null;
}

function passesRule({ policy, rule, tools }: RuleInPolicy, args: JsonObject): boolean {
  const manifest = hostedTool(rule.tool) ?? tools.catalog.get(rule.tool);
  if (manifest === undefined) return false;
  const claims = argumentClaims(manifest, args);
  const request = { tool: rule.tool, effect: manifest.effect, arguments: args, claims, place: null };
  return (
    ruleMatchesCall(policy, rule.id, request) &&
    scopeFindings(policy, request, readCommand(policy, request).parts).length === 0
  );
}
