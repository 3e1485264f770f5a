import type { ResourceClaims } from "../tool/index.ts";
import { normalizeWorkspacePath } from "../tool/index.ts";
import type { JsonObject, JsonValue } from "../json/index.ts";
import type { PolicyRequest } from "./policy.ts";
import { isJudgedByCommand } from "./rule-matches.ts";

/** What stands at a place below the workspace's root whose parents are no links. */
export type Entry =
  | { readonly kind: "missing" | "other" }
  | { readonly kind: "link"; readonly target: string };

/** How a process sees a workspace: one entry, without following it. */
export type WorkspaceView = (components: readonly string[]) => Promise<Entry>;

const MAX_LINKS = 40;

/** The workspace path that a path leads to once every link is followed; null where it leaves the workspace. */
async function realPlace(view: WorkspaceView, path: string): Promise<string | null> {
  const pending = path.split("/");
  const real: string[] = [];
  let links = 0;
  for (let name = pending.shift(); name !== undefined; name = pending.shift()) {
    if (name === "" || name === ".") continue;
    if (name === "..") {
      if (real.pop() === undefined) return null;
      continue;
    }
    const entry = await view([...real, name]);
    if (entry.kind === "link") {
      links += 1;
      if (links > MAX_LINKS || entry.target.startsWith("/")) return null;
      pending.unshift(...entry.target.split("/"));
    } else real.push(name);
  }
  return normalizeWorkspacePath(real.length === 0 ? "." : real.join("/"));
}

/**
 * A call as a file system shows it: beside every path that it names stands the place that the path leads to. There is
 * only more to forbid in it. Null for a call whose paths mean what they say.
 */
export async function requestInView(
  view: WorkspaceView,
  request: PolicyRequest,
): Promise<PolicyRequest | null> {
  return isJudgedByCommand(request.tool) ? commandInView(view, request) : pathsInView(view, request);
}

async function pathsInView(view: WorkspaceView, request: PolicyRequest): Promise<PolicyRequest | null> {
  const { claims } = request;
  const reads = await realPlaces(view, claims.reads);
  const writes = await realPlaces(view, claims.writes);
  const added = [...reads, ...writes].some(
    (place) => ![...claims.reads, ...claims.writes].includes(place ?? ""),
  );
  if (!added) return null;
  const seen: ResourceClaims = {
    reads: [...claims.reads, ...reads.filter((place) => place !== null)],
    writes: [...claims.writes, ...writes.filter((place) => place !== null)],
    workspace: writes.includes(null)
      ? "write"
      : reads.includes(null) && claims.workspace === "none"
        ? "read"
        : claims.workspace,
  };
  return { ...request, claims: seen };
}

function realPlaces(view: WorkspaceView, paths: readonly string[]): Promise<readonly (string | null)[]> {
  return Promise.all(paths.map((path) => realPlace(view, path)));
}

/** What can't stand in a workspace: no rule that lets a command run takes it for a path. */
const OUTSIDE = "/";

async function commandInView(view: WorkspaceView, request: PolicyRequest): Promise<PolicyRequest | null> {
  const { argv, cwd } = request.arguments;
  const folder = typeof cwd === "string" ? cwd : ".";
  const realFolder = await shown(view, ".", folder);
  const words = Array.isArray(argv) ? (argv as readonly JsonValue[]) : [];
  const shownWords = await Promise.all(
    words.map(async (word, at) => (at === 0 || typeof word !== "string" ? word : shown(view, folder, word))),
  );
  if (realFolder === folder && shownWords.every((word, at) => word === words[at])) return null;
  const args: JsonObject = {
    ...request.arguments,
    argv: shownWords,
    ...(cwd === undefined ? {} : { cwd: realFolder }),
  };
  return { ...request, arguments: args };
}

/** A word that is a path through a link, as the place that it leads to; any other word as it is. */
async function shown(view: WorkspaceView, folder: string, word: string): Promise<string> {
  if (word === "" || word.startsWith("-") || word.startsWith("/")) return word;
  const lexical = normalizeWorkspacePath(`${folder}/${word}`);
  if (lexical === null) return word;
  const real = await realPlace(view, lexical);
  if (real === lexical) return word;
  return real ?? OUTSIDE;
}
