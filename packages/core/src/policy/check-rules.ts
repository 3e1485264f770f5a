import { BUILTIN_MANIFESTS } from "../tool/index.ts";
import { isPermitting } from "./decision.ts";
import type { PolicyRuleDocument } from "./document-schema.ts";
import { isJudgedByCommand } from "./findings.ts";
import type { Problem } from "./problems.ts";
import { WRAPPERS, WRAPPING_FLAGS, WRAPPING_SUBCOMMANDS } from "./command/index.ts";

type Place = readonly (string | number)[];

/** What a schema can't say: names that must be known or unique, and commands that would permit too much. */
export function ruleProblems(rules: readonly PolicyRuleDocument[]): readonly Problem[] {
  return rules.flatMap((rule, index) => {
    const place: Place = ["rules", index];
    const first = rules.findIndex((other) => other.id === rule.id);
    return [
      ...(first < index
        ? [problem([...place, "id"], `the id "${rule.id}" is taken by an earlier rule`)]
        : []),
      ...toolProblems(rule, place),
      ...(isPermitting(rule.decision) ? permittingProblems(rule, place) : restrictingProblems(rule, place)),
    ];
  });
}

function toolProblems(rule: PolicyRuleDocument, place: Place): readonly Problem[] {
  const known = BUILTIN_MANIFESTS.map((manifest) => manifest.name);
  if (!known.includes(rule.tool)) {
    return [problem([...place, "tool"], `no tool is named "${rule.tool}"; there are ${known.join(", ")}`)];
  }
  if (rule.command !== undefined && !isJudgedByCommand(rule.tool)) {
    return [problem([...place, "command"], `${rule.tool} runs no command; drop this key`)];
  }
  return [];
}

function permittingProblems(rule: PolicyRuleDocument, place: Place): readonly Problem[] {
  if (!isJudgedByCommand(rule.tool)) return [];
  if (rule.command === undefined) {
    return [
      problem(place, `a rule that decides ${rule.decision} must say which command: add the key command`),
    ];
  }
  const { exe, sub, flags } = rule.command;
  const at = [...place, "command"];
  if (WRAPPERS.has(exe))
    return [problem([...at, "exe"], `${exe} runs what its arguments say; it can't be permitted`)];
  const wrappingSubs = WRAPPING_SUBCOMMANDS.get(exe);
  const needsSub = wrappingSubs !== undefined && sub === undefined;
  const badSubs = (sub ?? []).filter((word) => wrappingSubs?.has(word));
  const badFlags = [...(flags?.allow ?? []), ...(flags?.require ?? [])].filter((flag) =>
    WRAPPING_FLAGS.get(exe)?.has(flag.replace(/=$/, "")),
  );
  return [
    ...(needsSub ? [problem(at, `${exe} must be narrowed: add the key sub`)] : []),
    ...badSubs.map((word) =>
      problem([...at, "sub"], `${exe} ${word} runs what its arguments say; it can't be permitted`),
    ),
    ...badFlags.map((flag) =>
      problem([...at, "flags"], `${exe} ${flag} runs or writes what it names; it can't be permitted`),
    ),
  ];
}

/** Such a rule matches as broadly as it can, so what narrows a permitting rule would only mislead here. */
function restrictingProblems(rule: PolicyRuleDocument, place: Place): readonly Problem[] {
  const { flags, positionals } = rule.command ?? {};
  const narrow = flags?.allow !== undefined || flags?.require !== undefined || positionals !== undefined;
  if (!narrow) return [];
  return [
    problem(
      [...place, "command"],
      `a rule that decides ${rule.decision} may name only exe, sub and flags.forbid`,
    ),
  ];
}

function problem(path: Place, message: string): Problem {
  return { path, message };
}
