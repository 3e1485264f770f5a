// Takes the text of a policy file, gives a policy that can be evaluated, and refuses anything unknown, missing,
// contradictory or too wide, and any example that does not hold: all problems at once, each with its place.
import { z } from "zod";
import { canonicalJson } from "../json/index.ts";
import { sha256Hex } from "../record/index.ts";
import { ruleProblems } from "./check-rules.ts";
import { permittedCommand, restrictedCommand } from "./command/index.ts";
import { isPermitting } from "./decision.ts";
import { policyDocumentSchema, type PolicyDocument, type PolicyRuleDocument } from "./document-schema.ts";
import { exampleProblems } from "./examples.ts";
import { anyGlob, anyGlobBroadly } from "./globs.ts";
import type { PathScope, Policy, PolicyRule } from "./policy.ts";
import { policyInvalid, type Problem } from "./problems.ts";
import { readPolicyDocument, type PolicySource } from "./read-document.ts";

/** Throws POLICY_INVALID; there is no partial and no empty policy. `name` is what problems call the file. */
export function loadPolicy(file: { readonly name: string; readonly text: string }): Policy {
  const source = readPolicyDocument(file);
  const parsed = policyDocumentSchema.safeParse(source.value);
  if (!parsed.success)
    throw policyInvalid(
      source,
      parsed.error.issues.flatMap((issue) => issueProblems(source, issue)),
    );
  const document = parsed.data;
  refuse(source, ruleProblems(document.rules));
  const policy = compilePolicy(source, document);
  refuse(source, exampleProblems(policy, document.rules));
  return policy;
}

function refuse(source: PolicySource, problems: readonly Problem[]): void {
  if (problems.length > 0) throw policyInvalid(source, problems);
}

function issueProblems(source: PolicySource, issue: z.core.$ZodIssue): readonly Problem[] {
  const path = issue.path.map((part) => (typeof part === "symbol" ? String(part) : part));
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => ({ path: [...path, key], message: `unknown key "${key}"` }));
  }
  const what = path.join(".");
  if (!source.has(path)) return [{ path, message: `the key "${what}" is missing` }];
  return [{ path, message: what === "" ? issue.message : `${what}: ${issue.message}` }];
}

function compilePolicy(source: PolicySource, document: PolicyDocument): Policy {
  const rulesByTool = new Map<string, PolicyRule[]>();
  for (const rule of document.rules) {
    rulesByTool.set(rule.tool, [...(rulesByTool.get(rule.tool) ?? []), compileRule(rule)]);
  }
  return {
    name: source.name,
    digest: sha256Hex(canonicalJson(z.json().parse(source.value))),
    rulesByTool,
    paths: { read: compileScope(document.paths.read), write: compileScope(document.paths.write) },
    limits: document.limits,
  };
}

function compileRule(rule: PolicyRuleDocument): PolicyRule {
  const { id, decision, command } = rule;
  const reason = rule.reason ?? `rule ${id} decides ${decision}`;
  if (command === undefined) return { id, decision, reason, matches: () => true };
  const matches = isPermitting(decision) ? permittedCommand(command) : restrictedCommand(command);
  return { id, decision, reason, matches };
}

function compileScope(scope: PolicyDocument["paths"]["read"]): PathScope {
  return { allows: anyGlob(scope.allow), forbids: anyGlobBroadly(scope.forbid) };
}
