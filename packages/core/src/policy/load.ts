// Takes the text of a policy file, gives a policy that can be evaluated, and refuses anything unknown, missing,
// contradictory or too wide, and any example that does not hold: all problems at once, each with its place.
import type { z } from "zod";
import { BUILTIN_MANIFESTS, createCatalog } from "../tool/index.ts";
import { createJudge } from "../verdict/index.ts";
import { ruleProblems } from "./check-rules.ts";
import { compilePolicy } from "./compile.ts";
import { policyDocumentSchema, type PolicyDocument } from "./document-schema.ts";
import { exampleProblems, type KnownTools } from "./examples.ts";
import { loadBases } from "./extended.ts";
import type { Policy } from "./policy.ts";
import { placed, policyInvalid, type Problem } from "./problems.ts";
import { readPolicyDocument, type PolicyFile, type PolicySource } from "./read-document.ts";
import { unreachableRules } from "./unreachable.ts";

export interface LoadOptions {
  /** Reads a file that another one extends, named from the folder of that one; null where there is none. */
  readonly read?: (path: string, from: string) => PolicyFile | null;
  /** refuses a file of the other mode */
  readonly mode?: PolicyDocument["mode"];
}

const catalog = createCatalog(BUILTIN_MANIFESTS);
const TOOLS: KnownTools = { catalog, judge: createJudge(catalog) };

/** Throws POLICY_INVALID; there is no partial and no empty policy. */
export function loadPolicy(file: PolicyFile, options: LoadOptions = {}): Policy {
  return loadBelow(file, options, []);
}

/** `above` are the names of the files that extend this one. */
function loadBelow(file: PolicyFile, options: LoadOptions, above: readonly string[]): Policy {
  const { read = () => null, mode } = options;
  const source = readPolicyDocument(file);
  const document = readDocument(source);
  refuse(source, mode === undefined ? [] : modeProblems(document, mode));
  const chain = [...above, file.name];
  const { bases, problems } = loadBases(document, {
    read: (path) => read(path, file.name),
    load: (base) => loadBelow(base, { read }, chain),
    chain,
  });
  refuse(source, problems);
  const rules = document.rules ?? [];
  const takenIds = new Set(bases.flatMap(ruleIds));
  refuse(source, ruleProblems(rules, { catalog: TOOLS.catalog, takenIds }));
  const examples = rules.flatMap(({ match = [], notMatch = [] }) => [...match, ...notMatch]).length;
  const policy = { ...compilePolicy(source, document, bases), examples, warnings: [] };
  refuse(source, exampleProblems(policy, rules, TOOLS));
  return { ...policy, warnings: placed(source, unreachableRules(policy, rules, TOOLS.catalog)) };
}

function modeProblems(document: PolicyDocument, wanted: PolicyDocument["mode"]): readonly Problem[] {
  if (document.mode === wanted) return [];
  const message =
    wanted === "shadow"
      ? "a file named PROFILE.shadow.yaml needs mode: shadow"
      : "a policy in mode shadow stands beside an enforced one: name the file PROFILE.shadow.yaml";
  return [{ path: ["mode"], message }];
}

function ruleIds({ layers }: Policy): readonly string[] {
  return layers.flatMap(({ rulesByTool }) => [...rulesByTool.values()].flat().map(({ id }) => id));
}

function refuse(source: PolicySource, problems: readonly Problem[]): void {
  if (problems.length > 0) throw policyInvalid(source, problems);
}

function readDocument(source: PolicySource): PolicyDocument {
  const parsed = policyDocumentSchema.safeParse(source.value);
  if (!parsed.success) {
    const problems = parsed.error.issues.flatMap((issue) => issueProblems(source, issue));
    throw policyInvalid(source, problems);
  }
  refuse(source, prototypeKeys(source.value, []));
  if (parsed.data.rules === undefined && parsed.data.extends === undefined) {
    throw policyInvalid(source, [{ path: ["rules"], message: 'the key "rules" is missing' }]);
  }
  return parsed.data;
}

/** The schema passes over this key where any name may stand, so that what it says would silently not hold. */
function prototypeKeys(value: unknown, path: Problem["path"]): readonly Problem[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    const at = [...path, Array.isArray(value) ? Number(key) : key];
    return [
      ...(key === "__proto__" ? [{ path: at, message: `unknown key "${key}"` }] : []),
      ...prototypeKeys(inner, at),
    ];
  });
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
