// The flags of `run` in, a checked spec out: a spec file's, or one made of the flags; refuses a mix of both.
import { AirlockError } from "@airlock/core/fault";
import type { RunSpec } from "@airlock/core/run";
import type { Backend } from "../backend/index.ts";
import { readSpecFile, specFromFlags } from "../spec/index.ts";
import type { CommandCall } from "./command.ts";

/** What a spec file says itself: these flags can't stand beside it. */
const SPEC_FLAGS = [
  "route",
  "model",
  "tools",
  "policy",
  "repo",
  "ref",
  "instructions",
  "label",
  "priority",
  "expect",
];

export async function specOf(
  call: CommandCall,
  { backend, folder }: { readonly backend: Backend; readonly folder: string },
): Promise<RunSpec> {
  const file = call.text("spec");
  if (file !== undefined) {
    refuseBesideSpec(call);
    return readSpecFile(file, folder, backend.remote);
  }
  const { positional: input } = call;
  const [route, policy] = [call.text("route"), call.text("policy")];
  if (input === undefined || route === undefined || policy === undefined) {
    throw new AirlockError("USAGE", "name --spec FILE, or give INPUT with --route and --policy");
  }
  const text = (flag: string): string | undefined => call.text(flag);
  const model = text("model");
  return specFromFlags(
    {
      input,
      route,
      policy,
      model,
      tools: text("tools"),
      repo: text("repo"),
      ref: text("ref"),
      instructions: text("instructions"),
      priority: text("priority"),
      expect: text("expect"),
      apply: call.on("apply"),
      labels: call.list("label"),
    },
    {
      folder: backend.remote ? null : folder,
      routes: model === undefined ? await backend.models() : new Map(),
    },
  );
}

function refuseBesideSpec(call: CommandCall): void {
  const given = SPEC_FLAGS.filter((flag) => call.text(flag) !== undefined || call.list(flag).length > 0);
  const [other] = [
    ...(call.positional === undefined ? [] : ["INPUT"]),
    ...given.map((flag) => `--${flag}`),
    ...(call.on("apply") ? ["--apply"] : []),
  ];
  if (other !== undefined) throw new AirlockError("USAGE", `${other} can't stand beside --spec`);
}
