import { forbidden } from "./built-in-finding.ts";
import type { Finding, RepoScope, RunPlace } from "./policy.ts";

const COMMIT = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;
const BRANCHES = "refs/heads/";

/** What the scopes of one file say of a run's place. A repository that none of them names is forbidden. */
export function repositoryFindings(repos: readonly RepoScope[] | null, place: RunPlace): readonly Finding[] {
  if (repos === null) return [];
  const source = componentsOf(place.source);
  const named = repos.filter(({ id }) => endsWith(source, id));
  if (named.length === 0) return [forbidden("repos", "the run's repository is none that policy names")];
  return named.flatMap((repo) => [...revisionFindings(repo, place), ...branchFindings(repo, place.ref)]);
}

function revisionFindings(repo: RepoScope, { ref, baseRevision }: RunPlace): readonly Finding[] {
  if (!repo.requireBaseRevision || baseRevision !== undefined || COMMIT.test(ref)) return [];
  return [forbidden("repos.requireBaseRevision", "the run names no commit: add workspace.baseRevision")];
}

function branchFindings({ branches }: RepoScope, ref: string): readonly Finding[] {
  if (branches === null) return [];
  const branch = branchOf(ref);
  if (branch === null) return [forbidden("repos.branches", "the run's ref names no branch")];
  if (branches.forbids(branch)) return [forbidden("repos.branches", "the run's branch is forbidden")];
  return branches.allows(branch) ? [] : [forbidden("repos.branches", "the run's branch is not allowed")];
}

/** Null for a commit, for HEAD and for every other ref that is no branch. */
function branchOf(ref: string): string | null {
  if (ref.startsWith(BRANCHES)) return ref.slice(BRANCHES.length);
  return ref === "HEAD" || ref.startsWith("refs/") || COMMIT.test(ref) ? null : ref;
}

/** Host and path of a URL, or the parts of a path; `.git` at the end says nothing. */
function componentsOf(source: string): readonly string[] {
  const path = source
    .replace(/^[a-z]+:\/\//, "")
    .replace(/\/+$/, "")
    .replace(/\.git$/, "");
  return path.split("/").filter((part) => part !== "");
}

function endsWith(whole: readonly string[], end: readonly string[]): boolean {
  const from = whole.length - end.length;
  return from >= 0 && end.every((part, at) => part === whole[from + at]);
}
