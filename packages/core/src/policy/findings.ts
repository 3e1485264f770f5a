import { canonicalJson, type JsonObject, type JsonValue } from "../json/index.ts";
import type { ResourceClaims } from "../tool/index.ts";
import type { ApprovalOptions } from "./approval-options.ts";
import { forbidden } from "./built-in-finding.ts";
import { commandFolder, operandPaths, type CommandPart } from "./command/index.ts";
import type { Finding, PathScope, Policy, PolicyRequest, PolicyRule, RunPlace } from "./policy.ts";
import { repositoryFindings } from "./repositories.ts";
import { isJudgedByCommand, readCommand, ruleMatches, type ReadCommand } from "./rule-matches.ts";

export interface Findings {
  /** what scopes and limits say, then the rules by their ids */
  readonly matched: readonly Finding[];
  /** what the matched rules that decide `approve` ask for */
  readonly approvals: readonly ApprovalOptions[];
}

/** Everything that scopes, limits and rules say about a call; `no-match` where no rule names the whole of it. */
export function findingsFor(policy: Policy, request: PolicyRequest): Findings {
  const { unread, parts } = readCommand(policy, request);
  const matches = policy.layers.map((layer) => ruleMatches(layer, request, parts));
  const rules = matches.flatMap(({ rules: matched }) => matched).toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const scopes = scopeFindings(policy, request, parts);
  const unmatched = unread === null && matches.some(({ complete }) => !complete);
  return {
    matched: [
      ...(parts === null ? scopes : []),
      ...limitFindings(policy, request),
      ...(request.place === null ? [] : placeFindings(policy, request.place)),
      ...(unread === null ? [] : [unread]),
      ...rules.map(ruleFinding),
      ...(unmatched ? [forbidden("no-match", noMatch(request.tool))] : []),
      // what a rule says of a command tells the model more than the paths in it
      ...(parts === null ? [] : scopes),
    ],
    approvals: rules.flatMap(({ approval }) => (approval === null ? [] : [approval])),
  };
}

function noMatch(tool: string): string {
  return isJudgedByCommand(tool) ? "no rule names this command, or a part of it" : "no rule names this call";
}

function ruleFinding({ id, decision, reason, private: hidden }: PolicyRule): Finding {
  return { rule: id, decision, reason, ...(hidden ? { private: true } : {}) };
}

/** Whether a run may work where it wants to, whatever its calls will be. */
export function placeFindings({ layers }: Policy, place: RunPlace): readonly Finding[] {
  return layers.flatMap(({ repos }) => repositoryFindings(repos, place));
}

/** `parts` are those of the call's command; null for a tool that runs none. */
export function scopeFindings(
  policy: Policy,
  request: PolicyRequest,
  parts: ReadCommand["parts"],
): readonly Finding[] {
  const { reads, writes, workspace } = parts === null ? request.claims : commandClaims(request, parts);
  const unclear = "the paths that the call touches can't be told from its arguments";
  return [
    ...policy.layers.flatMap(({ paths }) => [
      ...pathFindings("paths.read", paths.read, reads),
      ...pathFindings("paths.write", paths.write, writes),
    ]),
    ...(workspace === "read" ? [forbidden("paths.read", unclear)] : []),
    ...(workspace === "write" ? [forbidden("paths.write", unclear)] : []),
  ];
}

/** A program whose operands are paths touches them; what others touch is for their rules and the sandbox. */
function commandClaims(request: PolicyRequest, parts: readonly CommandPart[]): ResourceClaims {
  const cwd = commandFolder(request.arguments);
  const touched = parts.map((part) => (cwd === null ? null : operandPaths(part, cwd)));
  const clear = touched.filter((paths) => paths !== null);
  return {
    reads: [...(cwd === null || cwd === "." ? [] : [cwd]), ...clear.flatMap(({ reads }) => reads)],
    writes: clear.flatMap(({ writes }) => writes),
    workspace: clear.length < touched.length ? "write" : "none",
  };
}

function pathFindings(
  rule: "paths.read" | "paths.write",
  scope: PathScope | null,
  paths: readonly string[],
): readonly Finding[] {
  if (scope === null) return [];
  if (paths.some((path) => scope.forbids(path))) return [forbidden(rule, `a path is in ${rule}.forbid`)];
  if (!paths.every((path) => scope.allows(path))) return [forbidden(rule, `a path is not in ${rule}.allow`)];
  return [];
}

function limitFindings({ limits }: Policy, request: PolicyRequest): readonly Finding[] {
  return [
    ...(bytesWithin(request.arguments, limits.argsBytes)
      ? []
      : [forbidden("limits.argsBytes", `the arguments are longer than ${limits.argsBytes} bytes`)]),
    ...(depthWithin(request.arguments, limits.jsonDepth)
      ? []
      : [forbidden("limits.jsonDepth", `the arguments are nested deeper than ${limits.jsonDepth}`)]),
  ];
}

function bytesWithin(args: JsonObject, limit: number): boolean {
  // most calls are far below the limit: for them there is no need to write the arguments out
  return mostBytes(args) <= limit || Buffer.byteLength(canonicalJson(args), "utf8") <= limit;
}

const LONGEST_NUMBER = 25;
/** one UTF-16 unit, escaped */
const LONGEST_UNIT = 6;

/** No canonical form of the value is longer. */
function mostBytes(value: JsonValue): number {
  if (typeof value === "string") return value.length * LONGEST_UNIT + 2;
  if (typeof value !== "object" || value === null) return LONGEST_NUMBER;
  let bytes = 2;
  for (const [key, inner] of Object.entries<JsonValue>(value)) {
    bytes += key.length * LONGEST_UNIT + 4 + mostBytes(inner);
  }
  return bytes;
}

function depthWithin(value: JsonValue, depth: number): boolean {
  if (typeof value !== "object" || value === null) return true;
  return depth > 0 && Object.values(value).every((inner: JsonValue) => depthWithin(inner, depth - 1));
}
