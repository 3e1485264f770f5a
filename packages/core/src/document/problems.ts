import type { z } from "zod";
import type { DocumentPath, DocumentSource } from "./read-document.ts";

/** One thing that is wrong with a document, at a path of it. */
export interface DocumentProblem {
  readonly path: DocumentPath;
  readonly message: string;
}

/** Each problem as `file:line:column: message`, in the order of the file. */
export function problemLines(
  source: DocumentSource,
  problems: readonly DocumentProblem[],
): readonly string[] {
  return problems
    .map((problem) => ({ ...source.locate(problem.path), message: problem.message }))
    .toSorted((left, right) => left.line - right.line || left.column - right.column)
    .map(({ line, column, message }) => `${source.name}:${line}:${column}: ${message}`);
}

/** What a schema found, as problems of the document: unknown and missing keys by their names. */
export function schemaProblems(source: DocumentSource, error: z.ZodError): readonly DocumentProblem[] {
  return error.issues.flatMap((issue): readonly DocumentProblem[] => {
    const path = issue.path.map((part) => (typeof part === "symbol" ? String(part) : part));
    if (issue.code === "unrecognized_keys") {
      return issue.keys.map((key) => ({ path: [...path, key], message: `unknown key "${key}"` }));
    }
    const what = path.join(".");
    if (!source.has(path)) return [{ path, message: `the key "${what}" is missing` }];
    return [{ path, message: what === "" ? issue.message : `${what}: ${issue.message}` }];
  });
}
