import { problemLines, type DocumentProblem } from "../document/index.ts";
import { AirlockError } from "../fault/index.ts";
import type { PolicySource } from "./read-document.ts";

/** One thing that is wrong with a policy file, at a path of its document. */
export type Problem = DocumentProblem;

/** All problems at once, each as `file:line:column: message`, in the order of the file. */
export function policyInvalid(source: PolicySource, problems: readonly Problem[]): AirlockError {
  return new AirlockError("POLICY_INVALID", problemLines(source, problems).join("\n"));
}
