import { AirlockError } from "../fault/index.ts";
import type { DocumentPath, PolicySource } from "./read-document.ts";

/** One thing that is wrong with a policy file, at a path of its document. */
export interface Problem {
  readonly path: DocumentPath;
  readonly message: string;
}

/** All problems at once, each as `file:line:column: message`, in the order of the file. */
export function policyInvalid(source: PolicySource, problems: readonly Problem[]): AirlockError {
  return new AirlockError("POLICY_INVALID", placed(source, problems).join("\n"));
}

export function placed(source: PolicySource, problems: readonly Problem[]): readonly string[] {
  return problems
    .map((problem) => ({ ...source.locate(problem.path), message: problem.message }))
    .toSorted((left, right) => left.line - right.line || left.column - right.column)
    .map(({ line, column, message }) => `${source.name}:${line}:${column}: ${message}`);
}
