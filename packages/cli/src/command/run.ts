import { AirlockError } from "@airlock/core/fault";
import { RUN_STATES, runStateSchema, type RunSpec } from "@airlock/core/run";
import { loadRoutes } from "@airlock/core/runtime";
import { followEvents } from "@airlock/operator/follow";
import { submitRun } from "@airlock/operator/order";
import { type Session } from "../session/index.ts";
import { cliConfig } from "../config.ts";
import { readRunDocument } from "@airlock/operator/document";
import { routesFile } from "../local/index.ts";
import { dataFolder } from "../session/index.ts";
import { readSpecFile, specFromFlags } from "../spec/index.ts";
import { createItemBoard, runText } from "../view/index.ts";
import { DATA_FLAG, JSON_FLAG, type Command, type CommandCall, type CommandContext } from "./command.ts";
import { watchInterrupts } from "./interrupt.ts";
import { withSession } from "./with-session.ts";

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
const INTERRUPTED = 130;

export const runCommand: Command = {
  summary: "submits a run, from a spec file or from flags",
  details:
    "With --wait it shows what happens and ends with the exit code of the run's state:\n" + exitCodes(),
  positional: { name: "INPUT", required: false },
  flags: {
    spec: { value: "FILE", doc: "spec in YAML or JSON; in place of INPUT and the flags that describe a run" },
    repo: { value: "SOURCE", doc: "git repository that the agent works on a copy of" },
    ref: { value: "REF", doc: "branch, tag or commit of it (HEAD)" },
    route: { value: "NAME", doc: "model route" },
    model: { value: "MODEL", doc: "model; may be left out where the route has exactly one" },
    tools: { value: "A,B", doc: "tools that the agent may call" },
    policy: { value: "PROFILE", doc: "policy profile that decides each call" },
    instructions: { value: "TEXT", doc: "instructions in place of the general ones" },
    expect: {
      value: "KIND[:A,B]",
      doc: "final output (text): json, report:SECTIONS, patch[:FILES] that it changes, manifest:FILES that exist then",
    },
    apply: { value: null, doc: "with --expect patch: apply it to the workspace once it is valid" },
    label: { value: "NAME=VALUE", doc: "a label of the run", multiple: true },
    priority: { value: "0-10", doc: "10 goes first (5)" },
    wait: { value: null, doc: "follow the run to its end" },
    json: JSON_FLAG,
    data: DATA_FLAG,
  },
  async run(call, context) {
    const spec = specOf(call, context);
    return withSession(call, context, async (session) => {
      const id = await submitRun(session, spec);
      if (call.on("wait")) return await wait(session, id, { call, context });
      context.out.print(call.on("json") ? JSON.stringify({ id, state: "queued" }) : id);
      return 0;
    });
  },
};

function specOf(call: CommandCall, context: CommandContext): RunSpec {
  const file = call.text("spec");
  const given = [
    ...SPEC_FLAGS.filter((flag) => call.text(flag) !== undefined || call.list(flag).length > 0),
    ...(call.on("apply") ? ["apply"] : []),
  ];
  if (file !== undefined) {
    const [other] = [
      ...(call.positional === undefined ? [] : ["INPUT"]),
      ...given.map((flag) => `--${flag}`),
    ];
    if (other !== undefined) throw new AirlockError("USAGE", `${other} can't stand beside --spec`);
    return readSpecFile(file, context.folder);
  }
  const { positional: input } = call;
  const [route, policy] = [call.text("route"), call.text("policy")];
  if (input === undefined || route === undefined || policy === undefined) {
    throw new AirlockError("USAGE", "name --spec FILE, or give INPUT with --route and --policy");
  }
  const config = cliConfig(context.environment);
  const routes = () =>
    loadRoutes(
      routesFile({
        data: dataFolder(context.folder, config, call.text("data")),
        environment: context.environment,
        folder: context.folder,
      }),
    );
  const text = (flag: string): string | undefined => call.text(flag);
  return specFromFlags(
    {
      input,
      route,
      policy,
      model: text("model"),
      tools: text("tools"),
      repo: text("repo"),
      ref: text("ref"),
      instructions: text("instructions"),
      priority: text("priority"),
      expect: text("expect"),
      apply: call.on("apply"),
      labels: call.list("label"),
    },
    { folder: context.folder, routes },
  );
}

/** Shows each event, then the run; with --json only the run's document. */
async function wait(
  session: Session,
  id: string,
  { call, context }: { readonly call: CommandCall; readonly context: CommandContext },
): Promise<number> {
  const { out, errors } = context;
  const quiet = call.on("json");
  const interrupts = watchInterrupts();
  if (!quiet) out.print(`run ${out.style("bold", id)} submitted`);
  const board = createItemBoard(out);
  for await (const { event } of followEvents(session.redis, id, interrupts.first)) {
    if (!quiet) board.show(event);
  }
  board.close();
  interrupts.stop();
  if (interrupts.first.aborted) {
    errors.print(`not waiting any more; the run goes on: airlock show ${id}, airlock cancel ${id}`);
    return INTERRUPTED;
  }
  const document = await readRunDocument(session, id);
  out.print(quiet ? JSON.stringify(document) : `\n${runText(out, document)}`);
  return exitCodeOf(document.state);
}

/** A state without an exit code is no ending: something went wrong. */
export function exitCodeOf(state: string): number {
  const known = runStateSchema.safeParse(state);
  return known.success ? (RUN_STATES[known.data].exitCode ?? 1) : 1;
}

function exitCodes(): string {
  return Object.entries(RUN_STATES)
    .flatMap(([state, { exitCode, meaning }]) =>
      exitCode === null ? [] : [`  ${exitCode}  ${state}: ${meaning}`],
    )
    .join("\n");
}
