import { z } from "zod";
import { canonicalJson } from "../json/index.ts";
import { sha256Hex } from "../record/index.ts";
import { smallest } from "./approval-options.ts";
import { argumentTest } from "./argument-pattern.ts";
import { permittedCommand, restrictedCommand } from "./command/index.ts";
import { isPermitting } from "./decision.ts";
import { ON_REPEAT, type PolicyDocument } from "./document-schema.ts";
import { anyGlob, anyGlobBroadly } from "./globs.ts";
import type { PathScope, Policy, PolicyDefaults, PolicyLayer, PolicyLimits, PolicyRule } from "./policy.ts";
import type { PolicySource } from "./read-document.ts";
import type { PolicyRuleDocument } from "./rule-schema.ts";

/** What holds where no file of a policy says otherwise. */
const LIMITS = { argsBytes: 1_048_576, jsonDepth: 64, commands: 20, wrapperDepth: 6 } as const;

/** A checked document on top of the policies that it extends: of each bound the tighter one holds. */
export function compilePolicy(
  source: PolicySource,
  document: PolicyDocument,
  bases: readonly Policy[],
): Omit<Policy, "warnings" | "examples"> {
  const layer = compileLayer(document, bases.length === 0);
  const inherited = bases.flatMap((base) => base.layers);
  return {
    name: source.name,
    mode: document.mode,
    digest: sha256Hex(canonicalJson(z.json().parse(source.value))),
    layers: [layer, ...new Set(inherited)],
    limits: tighterLimits(document.limits, bases),
    defaults: tighterDefaults(document.defaults, bases),
  };
}

function compileLayer(document: PolicyDocument, root: boolean): PolicyLayer {
  const rulesByTool = new Map<string, PolicyRule[]>();
  for (const rule of document.rules ?? []) {
    rulesByTool.set(rule.tool, [...(rulesByTool.get(rule.tool) ?? []), compileRule(rule)]);
  }
  const { read, write } = document.paths;
  return {
    rulesByTool,
    paths: { read: compileScope(read, root), write: compileScope(write, root) },
    repos:
      document.repos?.map(({ id, branches, requireBaseRevision }) => ({
        id: id.split("/"),
        branches: compileScope(branches, false),
        requireBaseRevision,
      })) ?? null,
    root,
  };
}

function compileRule(rule: PolicyRuleDocument): PolicyRule {
  const { id, decision, command, args, approve } = rule;
  const permits = isPermitting(decision);
  const compileCommand = permits ? permittedCommand : restrictedCommand;
  const options = {
    risk: approve?.risk ?? "medium",
    ttlMs: approve?.ttl ?? null,
    quorum: approve?.quorum ?? 1,
  };
  return {
    id,
    decision,
    reason: rule.reason ?? `rule ${id} decides ${decision}`,
    private: rule.private === true,
    approval: decision === "approve" ? options : null,
    command: command === undefined ? null : compileCommand(command),
    args: args === undefined ? null : argumentTest(args, permits ? "permit" : "restrict"),
  };
}

type ScopeDocument = PolicyDocument["paths"]["read"];

/** Without `allow`, a file that extends others leaves that to them; one that extends none allows nothing. */
function compileScope(scope: ScopeDocument, root: boolean): PathScope | null {
  if (scope === undefined && !root) return null;
  const { allow = root ? [] : ["**"], forbid = [] } = scope ?? {};
  const empty = allow.length === 0 || forbid.includes("**");
  return { allows: anyGlob(allow), forbids: anyGlobBroadly(forbid), empty };
}

function tighterLimits(own: PolicyDocument["limits"], bases: readonly Policy[]): PolicyLimits {
  const bound = (name: keyof typeof LIMITS): number =>
    smallest([own[name], ...bases.map(({ limits }) => limits[name])]) ?? LIMITS[name];
  const perRun = (name: keyof PolicyLimits["perRun"]): number | null =>
    smallest([own.perRun[name], ...bases.map(({ limits }) => limits.perRun[name])]);
  return {
    argsBytes: bound("argsBytes"),
    jsonDepth: bound("jsonDepth"),
    commands: bound("commands"),
    wrapperDepth: bound("wrapperDepth"),
    perRun: { turns: perRun("turns"), calls: perRun("calls"), mutating: perRun("mutating") },
  };
}

function tighterDefaults(own: PolicyDocument["defaults"], bases: readonly Policy[]): PolicyDefaults {
  const inherited = bases.map(({ defaults }) => defaults);
  const asks = [own.onAskNonInteractive, ...inherited.map((each) => each.onAskNonInteractive)];
  const repeats = [own.onRepeatEffect ?? "approve", ...inherited.map((each) => each.onRepeatEffect)];
  const unread = [
    own.unparseable ?? (bases.length === 0 ? "forbid" : "quarantine"),
    ...inherited.map((each) => each.unparseable),
  ];
  return {
    unparseable: unread.includes("forbid") ? "forbid" : "quarantine",
    onAskNonInteractive: asks.includes("deny") ? "deny" : "park",
    onRepeatEffect: ON_REPEAT[Math.max(...repeats.map((each) => ON_REPEAT.indexOf(each)))] ?? "deny",
    approvalTtlMs: smallest([own.approvalTtl, ...inherited.map((each) => each.approvalTtlMs)]),
  };
}
