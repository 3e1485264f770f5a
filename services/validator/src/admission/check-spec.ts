// Takes a spec and what this validator knows, gives the plan that the run is bound to,
// and refuses what no later stage could serve: unknown routes, models, tools, policies and sources.
import {
  modelPattern,
  sourceAllowed,
  type Route,
  type Routes,
  type RunPlan,
  type RunSpec,
} from "@airlock/core/run";
import { placeFindings } from "@airlock/core/policy";
import type { Policies } from "@airlock/core/runtime";
import { manifestDigest, type ToolCatalog } from "@airlock/core/tool";
import { ADAPTERS, samplingOf, type Family } from "@airlock/core/wire";

export interface Known {
  readonly routes: Routes;
  readonly catalog: ToolCatalog;
  readonly policies: Policies;
  readonly sources: readonly string[];
  /** how long partial and refused output is kept where the spec says nothing */
  readonly rawMs: number;
}

export type Admission =
  | { readonly ok: true; readonly plan: RunPlan }
  | { readonly ok: false; readonly detail: string };

export function checkSpec(spec: RunSpec, specDigest: string, known: Known): Admission {
  const route = known.routes.get(spec.route);
  const problems = [
    ...routeProblems(spec, route, known.routes),
    ...toolProblems(spec, known),
    ...policyProblems(spec, known.policies),
  ];
  if (problems.length > 0) return { ok: false, detail: problems.join("; ") };
  const tools = spec.tools.flatMap((name) => {
    const manifest = known.catalog.get(name);
    return manifest === undefined
      ? []
      : [{ name, digest: manifestDigest(manifest), effect: manifest.effect }];
  });
  return {
    ok: true,
    plan: {
      tools,
      limits: spec.limits,
      expectKind: spec.expect.kind,
      onTruncated: spec.onTruncated,
      stopSequences: spec.stopSequences.length,
      rawMs: spec.retention?.rawMs ?? known.rawMs,
      ...samplingOf(spec),
      parallel: spec.parallel,
      allOrNothing: spec.allOrNothing,
      workspace: spec.workspace ?? null,
      specDigest,
      contract: spec.contract ?? null,
      priority: spec.priority,
    },
  };
}

/** Whether a conversation may end with the model's own text, which its next response then continues. */
const PREFILLS = {
  anthropic: true,
  chat: false,
  gemini: false,
  responses: false,
} as const satisfies Record<Family, boolean>;

/** The kinds of artifact that are held against the workspace. */
const LOOKED_FOR: readonly string[] = ["patch", "manifest"];

/** The kinds of output that can be put together from pieces. */
const STITCHED_KINDS: readonly string[] = ["text", "report"];

/** Whether a response tells a stop by a sequence from an end of the model's own. */
const NAMES_SEQUENCE = {
  anthropic: true,
  chat: false,
  gemini: false,
  responses: false,
} as const satisfies Record<Family, boolean>;

function routeProblems(spec: RunSpec, route: Route | undefined, routes: Routes): readonly string[] {
  if (route === undefined) return [`route ${quote(spec.route)} is none of: ${[...routes.keys()].join(", ")}`];
  return [
    ...(modelPattern(route, spec.model) === null
      ? [`route ${quote(spec.route)} takes no model ${quote(spec.model)}, only ${route.models.join(", ")}`]
      : []),
    ...(spec.stopSequences.length > 0 && !ADAPTERS[route.family].supports.stopSequences
      ? [`the ${route.family} family has no stop sequences; leave stopSequences out`]
      : []),
    ...(spec.stopSequences.some(({ meaning }) => meaning === "truncated") && !NAMES_SEQUENCE[route.family]
      ? [
          `the ${route.family} family does not say which stop sequence ended an output; none can mean truncated`,
        ]
      : []),
    ...stitchProblems(spec, route),
  ];
}

function stitchProblems(spec: RunSpec, route: Route): readonly string[] {
  if (spec.onTruncated !== "continue") return [];
  return [
    ...(PREFILLS[route.family]
      ? []
      : [`the ${route.family} family can't go on with a cut output; choose another onTruncated`]),
    ...(STITCHED_KINDS.includes(spec.expect.kind)
      ? []
      : [`onTruncated: continue is for ${STITCHED_KINDS.join(" and ")}, not for ${spec.expect.kind}`]),
  ];
}

function toolProblems(spec: RunSpec, known: Known): readonly string[] {
  const unknown = spec.tools.filter((name) => known.catalog.get(name) === undefined);
  const repeated = spec.tools.filter((name, at) => spec.tools.indexOf(name) !== at);
  return [
    ...unknown.map((name) => `tool ${quote(name)} is none of: ${known.catalog.names().join(", ")}`),
    ...repeated.map((name) => `tool ${quote(name)} is named twice`),
    ...workspaceProblems(spec, known.sources),
  ];
}

/** A run that may not work where it wants to is refused at the door; each of its calls would be. */
function policyProblems(spec: RunSpec, policies: Policies): readonly string[] {
  const profile = policies.get(spec.policy);
  if (profile === undefined) {
    return [`policy ${quote(spec.policy)} is none of: ${[...policies.keys()].join(", ")}`];
  }
  const findings = spec.workspace === undefined ? [] : placeFindings(profile.enforced, spec.workspace);
  return findings.map(({ rule, reason }) => `policy ${quote(spec.policy)}, ${rule}: ${reason}`);
}

function workspaceProblems(spec: RunSpec, sources: readonly string[]): readonly string[] {
  if (spec.workspace === undefined) {
    return [
      ...(spec.tools.length > 0 && spec.contract === undefined
        ? ["tools need a workspace: { source, ref }"]
        : []),
      ...(LOOKED_FOR.includes(spec.expect.kind)
        ? [`expect: ${spec.expect.kind} needs a workspace: { source, ref }`]
        : []),
    ];
  }
  return sourceAllowed(spec.workspace.source, sources)
    ? []
    : ["the workspace source is not one that the operator allows (AIRLOCK_SOURCES)"];
}

function quote(text: string): string {
  return JSON.stringify(text.slice(0, 80));
}
