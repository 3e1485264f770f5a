// The text of the repositories file in, what holds for a source out; refuses unknown keys and wrong values, two entries for
// one source, and credentials that don't go with it, each with file, line and column.
import { problemLines, readDocument, schemaProblems, type DocumentProblem } from "../document/index.ts";
import { AirlockError } from "../fault/index.ts";
import { repositoriesDocumentSchema, type Repository } from "./repository-document.ts";
import { sourceAllowed } from "./source-allowed.ts";

/** What the operator says of a source; null for one that no entry fits. */
export type Repositories = (source: string) => Repository | null;

export const NO_REPOSITORIES: Repositories = () => null;

/** Throws REPOSITORIES_INVALID with every problem. */
export function parseRepositories(file: { readonly name: string; readonly text: string }): Repositories {
  const source = readDocument(file, { code: "REPOSITORIES_INVALID", noun: "repositories file" });
  const parsed = repositoriesDocumentSchema.safeParse(source.value);
  const problems = parsed.success
    ? entryProblems(parsed.data.repositories)
    : schemaProblems(source, parsed.error);
  if (problems.length > 0 || !parsed.success) {
    throw new AirlockError("REPOSITORIES_INVALID", problemLines(source, problems).join("\n"));
  }
  const longestFirst = parsed.data.repositories.toSorted((a, b) => trimmed(b).length - trimmed(a).length);
  return (wanted) => longestFirst.find((entry) => sourceAllowed(wanted, [entry.source])) ?? null;
}

function entryProblems(entries: readonly Repository[]): readonly DocumentProblem[] {
  return entries.flatMap((entry, at): readonly DocumentProblem[] => {
    const path = ["repositories", at];
    const problem = (key: string, message: string) => [{ path: [...path, key], message }];
    if (!sourceAllowed(entry.source, [entry.source])) {
      return problem("source", "source: it has to be an absolute path, or an https or ssh URL");
    }
    if (entries.findIndex((other) => trimmed(other) === trimmed(entry)) < at) {
      return problem("source", `source: ${entry.source} stands here twice`);
    }
    const scheme = { token: "https://", ssh_key: "ssh://" };
    const kind = entry.credentials?.kind;
    if (kind !== undefined && !entry.source.startsWith(scheme[kind])) {
      return problem(
        "credentials",
        `credentials: ${kind} goes with a source that begins with ${scheme[kind]}`,
      );
    }
    return overlapping(entry.prepare?.folders ?? [])
      ? problem("prepare", "prepare.folders: one lies in another")
      : [];
  });
}

function overlapping(folders: readonly string[]): boolean {
  return folders.some((one, at) =>
    folders.some((other, index) => at !== index && `${other}/`.startsWith(`${one}/`)),
  );
}

function trimmed({ source }: Repository): string {
  return source.replace(/\/+$/, "");
}
