// An input text and flags in, a checked spec out; refuses what a flag leaves open.
import { AirlockError } from "@airlock/core/fault";
import { parseRunSpec, type Routes, type RunSpec } from "@airlock/core/run";
import { soleModel } from "./sole-model.ts";
import { workspaceSource } from "./workspace-source.ts";

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
  /** `name=value` each */
  readonly labels: readonly string[];
}

const DEFAULT_INSTRUCTIONS =
  "You are a coding agent. Work only with the tools that you are given, look before you change anything, " +
  "change as little as possible, and end with a short report of what you did.";

export function specFromFlags(
  flags: SpecFlags,
  place: { readonly folder: string; readonly routes: () => Routes },
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
    model: flags.model ?? onlyModel(flags.route, place.routes()),
    instructions: flags.instructions ?? DEFAULT_INSTRUCTIONS,
    input: flags.input,
    tools: (flags.tools ?? "").split(",").flatMap((name) => (name.trim() === "" ? [] : [name.trim()])),
    policy: flags.policy,
    ...workspace,
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

function labelOf(text: string): readonly [string, string] {
  const cut = text.indexOf("=");
  if (cut < 1) throw new AirlockError("USAGE", `--label ${text}: write it as name=value`);
  return [text.slice(0, cut), text.slice(cut + 1)];
}
