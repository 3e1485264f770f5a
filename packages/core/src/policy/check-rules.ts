import { isJsonObject } from "../json/index.ts";
import { isHostedTool, type ToolCatalog } from "../tool/index.ts";
import { isPermitting } from "./decision.ts";
import { isJudgedByCommand } from "./rule-matches.ts";
import type { Problem } from "./problems.ts";
import type { PolicyRuleDocument } from "./rule-schema.ts";
import { permittingProblems, restrictingProblems } from "./command/index.ts";

type Place = readonly (string | number)[];

/** What a schema can't say: names that must be known or unique, and commands that would permit too much. */
export function ruleProblems(
  rules: readonly PolicyRuleDocument[],
  known: { readonly catalog: ToolCatalog; readonly takenIds: ReadonlySet<string> },
): readonly Problem[] {
  return rules.flatMap((rule, index) => {
    const place: Place = ["rules", index];
    const first = rules.findIndex((other) => other.id === rule.id);
    return [
      ...(first < index
        ? [problem([...place, "id"], `the id "${rule.id}" is taken by an earlier rule`)]
        : []),
      ...(known.takenIds.has(rule.id)
        ? [
            problem(
              [...place, "id"],
              `the id "${rule.id}" is taken by a rule of a file that this one extends`,
            ),
          ]
        : []),
      ...toolProblems(rule, place, known.catalog),
      ...approveProblems(rule, place),
      ...(isPermitting(rule.decision)
        ? permittedCommandProblems(rule, place)
        : stoppingCommandProblems(rule, place)),
    ];
  });
}

function toolProblems(rule: PolicyRuleDocument, place: Place, catalog: ToolCatalog): readonly Problem[] {
  if (isHostedTool(rule.tool)) return hostedProblems(rule, place);
  const manifest = catalog.get(rule.tool);
  if (manifest === undefined) {
    const names = catalog.names().join(", ");
    const hosted = "hosted:<server label>/<name> for those of a provider";
    return [
      problem([...place, "tool"], `no tool is named "${rule.tool}"; there are ${names}, and ${hosted}`),
    ];
  }
  if (rule.command !== undefined && !isJudgedByCommand(rule.tool)) {
    return [problem([...place, "command"], `${rule.tool} runs no command; drop this key`)];
  }
  const { properties = {} } = manifest.inputSchema;
  const known = isJsonObject(properties) ? Object.keys(properties) : [];
  return Object.keys(rule.args ?? {}).flatMap((name) =>
    known.includes(name)
      ? []
      : [
          problem(
            [...place, "args", name],
            `${rule.tool} has no argument "${name}", only ${known.join(", ")}`,
          ),
        ],
  );
}

/** Its provider runs it, so Airlock's part is a person's word: no rule gives that by itself. */
function hostedProblems(rule: PolicyRuleDocument, place: Place): readonly Problem[] {
  const { decision, command, tool } = rule;
  return [
    ...(decision === "allow" || decision === "flag"
      ? [
          problem(
            [...place, "decision"],
            `${tool} is run by its provider and never without a person's word; write approve, quarantine or forbid`,
          ),
        ]
      : []),
    ...(command === undefined
      ? []
      : [problem([...place, "command"], `${tool} runs no command; drop this key`)]),
  ];
}

function approveProblems(rule: PolicyRuleDocument, place: Place): readonly Problem[] {
  if (rule.approve === undefined || rule.decision === "approve") return [];
  return [
    problem(
      [...place, "approve"],
      `a rule that decides ${rule.decision} asks for no approval; drop this key`,
    ),
  ];
}

function permittedCommandProblems(rule: PolicyRuleDocument, place: Place): readonly Problem[] {
  if (!isJudgedByCommand(rule.tool)) return [];
  if (rule.command === undefined) {
    return [
      problem(place, `a rule that decides ${rule.decision} must say which command: add the key command`),
    ];
  }
  return permittingProblems(rule.command).map(({ path, message }) =>
    problem([...place, "command", ...path], message),
  );
}

function stoppingCommandProblems(rule: PolicyRuleDocument, place: Place): readonly Problem[] {
  return restrictingProblems(rule.command ?? { exe: "" }).map(({ message }) =>
    problem([...place, "command"], message),
  );
}

function problem(path: Place, message: string): Problem {
  return { path, message };
}
