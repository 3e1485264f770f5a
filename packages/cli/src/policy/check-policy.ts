import { existsSync, readFileSync } from "node:fs";
import { AirlockError } from "@airlock/core/fault";
import { loadPolicyFile } from "@airlock/core/runtime";
import type { ToolCatalog } from "@airlock/core/tool";

/** One problem of a policy file, with the line that it is about. */
export interface PolicyProblem {
  /** `file:line:column: message` */
  readonly told: string;
  readonly line: { readonly number: number; readonly column: number; readonly text: string } | null;
}

export interface PolicyCheck {
  readonly file: string;
  /** null where the file did not load */
  readonly loaded: {
    readonly rules: number;
    readonly examples: number;
    readonly policyDigest: string;
  } | null;
  readonly problems: readonly PolicyProblem[];
}

/** Loads a policy with all of its examples; a rule that can decide nothing is a problem here, too. */
export function checkPolicy(file: string, catalog: ToolCatalog): PolicyCheck {
  if (!existsSync(file)) throw new AirlockError("USAGE", `there is no file ${file}`);
  try {
    const { layers, examples, digest, warnings } = loadPolicyFile(file, { catalog });
    const rules = [...(layers[0]?.rulesByTool.values() ?? [])].flat().length;
    return { file, loaded: { rules, examples, policyDigest: digest }, problems: warnings.map(problemOf) };
  } catch (error) {
    if (!(error instanceof AirlockError) || error.code !== "POLICY_INVALID") throw error;
    return { file, loaded: null, problems: error.detail.split("\n").map(problemOf) };
  }
}

function problemOf(told: string): PolicyProblem {
  const [, file = "", line = "", column = ""] = /^(.*?):(\d+):(\d+): /.exec(told) ?? [];
  const text = existsSync(file) ? readFileSync(file, "utf8").split("\n")[Number(line) - 1] : undefined;
  return { told, line: text === undefined ? null : { number: Number(line), column: Number(column), text } };
}
