// Takes the text of a policy file, gives a policy that can be evaluated, and refuses anything unknown, missing,
// contradictory or too wide, and any example that does not hold: all problems at once, each with its place.
import { problemLines, schemaProblems } from "../document/index.ts";
import { BUILTIN_CATALOG, type ToolCatalog } from "../tool/index.ts";
import { createJudge } from "../verdict/index.ts";
import { ruleProblems } from "./check-rules.ts";
import { compilePolicy } from "./compile.ts";
import { policyDocumentSchema, type PolicyDocument } from "./document-schema.ts";
import { exampleProblems, type KnownTools } from "./examples.ts";
import { loadBases } from "./extended.ts";
import type { Policy } from "./policy.ts";
import { policyInvalid, type Problem } from "./problems.ts";
import { readPolicyDocument, type PolicyFile, type PolicySource } from "./read-document.ts";
import { unreachableRules } from "./unreachable.ts";

export interface LoadOptions {
  /** Reads a file that another one extends, named from the folder of that one; null where there is none. */
  readonly read?: (path: string, from: string) => PolicyFile | null;
  /** The tools that rules may name; left out: the built-in ones. */
  readonly catalog?: ToolCatalog | undefined;
  /** refuses a file of the other mode */
  readonly mode?: PolicyDocument["mode"];
}

/** Throws POLICY_INVALID; there is no partial and no empty policy. */
export function loadPolicy(file: PolicyFile, options: LoadOptions = {}): Policy {
  const { read = () => null, catalog = BUILTIN_CATALOG, mode } = options;
  return loadBelow(file, { read, mode, tools: { catalog, judge: createJudge(catalog) } }, []);
}

interface Loading {
  readonly read: NonNullable<LoadOptions["read"]>;
  readonly mode?: LoadOptions["mode"] | undefined;
  readonly tools: KnownTools;
}

/** `above` are the names of the files that extend this one. */
function loadBelow(file: PolicyFile, { read, mode, tools }: Loading, above: readonly string[]): Policy {
  const source = readPolicyDocument(file);
  const document = readDocument(source);
  refuse(source, mode === undefined ? [] : modeProblems(document, mode));
  const chain = [...above, file.name];
  const { bases, problems } = loadBases(document, {
    read: (path) => read(path, file.name),
    load: (base) => loadBelow(base, { read, tools }, chain),
    chain,
  });
  refuse(source, problems);
  const rules = document.rules ?? [];
  const takenIds = new Set(bases.flatMap(ruleIds));
  refuse(source, ruleProblems(rules, { catalog: tools.catalog, takenIds }));
  const examples = rules.flatMap(({ match = [], notMatch = [] }) => [...match, ...notMatch]).length;
  const policy = { ...compilePolicy(source, document, bases), examples, warnings: [] };
  refuse(source, exampleProblems(policy, rules, tools));
  return { ...policy, warnings: problemLines(source, unreachableRules(policy, rules, tools.catalog)) };
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
    throw policyInvalid(source, schemaProblems(source, parsed.error));
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
