// An input text and flags in, a checked spec out; refuses what a flag leaves open.
import { AirlockError } from "@airlock/core/fault";
import { parseRunSpec, type Route, type RunSpec } from "@airlock/core/run";
import { soleModel } from "./sole-model.ts";
import { workspaceSource, type SourceFolder } from "./workspace-source.ts";

export interface SpecFlags {
  readonly input: string;
  readonly route: string;
  readonly policy: string;
  readonly model: string | undefined;
  readonly tools: string | undefined;
  readonly repo: string | undefined;
  readonly ref: string | undefined;
  readonly instructions: string | undefined;
  readonly priority: string | undefined;
  /** `KIND` or `KIND:A,B` */
  readonly expect: string | undefined;
  /** whether a patch is applied */
  readonly apply: boolean;
  /** `name=value` each */
  readonly labels: readonly string[];
}

/** What the models of a route are looked up in, where no model is named. */
type Routes = ReadonlyMap<string, Pick<Route, "models">>;

const DEFAULT_INSTRUCTIONS =
  "You are a coding agent. Work only with the tools that you are given, look before you change anything, " +
  "change as little as possible, and end with a short report of what you did.";

export function specFromFlags(
  flags: SpecFlags,
  place: { readonly folder: SourceFolder; readonly routes: Routes },
): RunSpec {
  const workspace =
    flags.repo === undefined
      ? {}
      : {
          workspace: {
            source: workspaceSource(flags.repo, place.folder, "--repo"),
            ref: flags.ref ?? "HEAD",
          },
        };
  const spec = {
    route: flags.route,
    model: flags.model ?? onlyModel(flags.route, place.routes),
    instructions: flags.instructions ?? DEFAULT_INSTRUCTIONS,
    input: flags.input,
    tools: namesIn(flags.tools ?? ""),
    policy: flags.policy,
    ...workspace,
    ...expectation(flags),
    ...(flags.priority === undefined ? {} : { priority: Number(flags.priority) }),
    labels: Object.fromEntries(flags.labels.map(labelOf)),
  };
  return parseRunSpec(spec, "the flags of `airlock run`");
}

/** Without --model the route has to leave no choice. */
function onlyModel(name: string, routes: Routes): string {
  const route = routes.get(name);
  if (route === undefined) {
    throw new AirlockError("USAGE", `route "${name}" is none of: ${[...routes.keys()].join(", ")}`);
  }
  const model = soleModel(route);
  if (model === null) {
    throw new AirlockError(
      "USAGE",
      `name a model with --model; route "${name}" takes ${route.models.join(", ")}`,
    );
  }
  return model;
}

/** What the names after a kind are, for the kinds that take some. */
const LISTS: Readonly<Record<string, (names: readonly string[]) => object>> = {
  report: (sections) => ({ sections }),
  patch: (files) => ({ files }),
  manifest: (files) => ({ files: files.map((file) => ({ path: file })) }),
};

function expectation({ expect, apply }: SpecFlags): object {
  if (expect === undefined) {
    if (apply) throw new AirlockError("USAGE", "--apply needs --expect patch");
    return {};
  }
  const cut = expect.indexOf(":");
  const kind = cut < 0 ? expect : expect.slice(0, cut);
  if (apply && kind !== "patch")
    throw new AirlockError("USAGE", `--apply is for --expect patch, not for ${kind}`);
  const list = Object.hasOwn(LISTS, kind) ? LISTS[kind] : undefined;
  if (cut >= 0 && list === undefined) {
    throw new AirlockError(
      "USAGE",
      `--expect ${expect}: only ${Object.keys(LISTS).join(", ")} take names after a colon`,
    );
  }
  const names = cut < 0 ? [] : namesIn(expect.slice(cut + 1));
  const named = list === undefined || (cut < 0 && kind === "patch") ? {} : list(names);
  return { expect: { kind, ...named, ...(apply ? { apply } : {}) } };
}

function namesIn(text: string): readonly string[] {
  return text.split(",").flatMap((name) => (name.trim() === "" ? [] : [name.trim()]));
}

function labelOf(text: string): readonly [string, string] {
  const cut = text.indexOf("=");
  if (cut < 1) throw new AirlockError("USAGE", `--label ${text}: write it as name=value`);
  return [text.slice(0, cut), text.slice(cut + 1)];
}
