import { argumentTexts } from "./argument-pattern.ts";
import type { JsonObject, JsonValue } from "../json/index.ts";
import { builtIn } from "./built-in-finding.ts";
import { commandFolder, commandParts, type CommandPart } from "./command/index.ts";
import { isPermitting } from "./decision.ts";
import type { Finding, Policy, PolicyLayer, PolicyRequest, PolicyRule } from "./policy.ts";

/** Tools whose reach can't be told from paths: their rules judge the command instead. */
const JUDGED_BY_COMMAND: ReadonlySet<string> = new Set(["run_command"]);

export function isJudgedByCommand(tool: string): boolean {
  return JUDGED_BY_COMMAND.has(tool);
}

/** The programs that a call would start. */
export interface ReadCommand {
  /** why nobody can tell; what could be read is still there, for rules that stop calls */
  readonly unread: Finding | null;
  /** null for a tool that starts none */
  readonly parts: readonly CommandPart[] | null;
}

export function readCommand(policy: Policy, request: PolicyRequest): ReadCommand {
  if (!isJudgedByCommand(request.tool)) return { unread: null, parts: null };
  const argv = wordsOf(request.arguments);
  if (argv === null) return { unread: unparseable(policy, "argv is no list of words"), parts: [] };
  const { commands, wrapperDepth } = policy.limits;
  const read = commandParts(argv, { commands, wrapperDepth });
  return { unread: read.ok ? null : unparseable(policy, read.reason), parts: read.parts };
}

function unparseable({ defaults }: Policy, reason: string): Finding {
  return builtIn("unparseable", defaults.unparseable, reason);
}

function wordsOf(args: JsonObject): readonly string[] | null {
  const value = Object.hasOwn(args, "argv") ? args["argv"] : undefined;
  if (!Array.isArray(value) || value.length === 0) return null;
  const words: string[] = [];
  for (const word of value as readonly JsonValue[]) {
    if (typeof word !== "string") return null;
    words.push(word);
  }
  return words;
}

export interface LayerMatches {
  readonly rules: readonly PolicyRule[];
  /** whether rules say something about every part of the call, or leave that to the files extended */
  readonly complete: boolean;
}

export function ruleMatches(
  layer: PolicyLayer,
  request: PolicyRequest,
  parts: ReadCommand["parts"],
): LayerMatches {
  const texts = argumentTexts(request.arguments);
  const rules = (layer.rulesByTool.get(request.tool) ?? []).filter(
    ({ args }) => args === null || args(texts),
  );
  if (parts === null) return { rules, complete: !layer.root || rules.length > 0 };
  const matched = new Set<PolicyRule>();
  let complete = commandFolder(request.arguments) !== null;
  for (const part of parts) {
    const named = rules.filter((rule) => matchesPart(rule, part));
    complete &&= named.length > 0;
    for (const rule of named) matched.add(rule);
  }
  return { rules: [...matched], complete: !layer.root || complete };
}

/** For examples: a rule matches a part of a command, and one that lets calls run does so where no part stays unnamed. */
export function ruleMatchesCall(policy: Policy, id: string, request: PolicyRequest): boolean {
  const rule = policy.layers[0]?.rulesByTool.get(request.tool)?.find((candidate) => candidate.id === id);
  if (rule === undefined || rule.args?.(argumentTexts(request.arguments)) === false) return false;
  const { unread, parts } = readCommand(policy, request);
  if (parts === null) return true;
  if (!parts.some((part) => matchesPart(rule, part))) return false;
  if (!isPermitting(rule.decision)) return true;
  const rules = policy.layers.flatMap(({ rulesByTool }) => rulesByTool.get(request.tool) ?? []);
  const named = (part: CommandPart): boolean => rules.some((other) => matchesPart(other, part));
  return unread === null && commandFolder(request.arguments) !== null && parts.every(named);
}

function matchesPart({ command }: PolicyRule, part: CommandPart): boolean {
  return command === null || command(part);
}
