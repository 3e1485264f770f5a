import { AirlockError } from "@airlock/core/fault";
import type { Backend } from "../backend/index.ts";
import { exitCodes, waitForRun } from "../wait/index.ts";
import { DATA_FLAG, JSON_FLAG, type Command, type CommandCall, type CommandContext } from "./command.ts";
import { watchInterrupts } from "./interrupt.ts";
import { specOf } from "./run-spec.ts";
import { withBackend } from "./with-backend.ts";

export const runCommand: Command = {
  summary: "submits a run, from a spec file or from flags",
  details:
    "With --wait it shows what happens and what the run waits for, and ends with one of these exit codes:\n" +
    exitCodes()
      .map(({ exitCode, name, meaning }) => `  ${exitCode}  ${name}: ${meaning}`)
      .join("\n"),
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
    "wait-timeout": { value: "SECONDS", doc: "with --wait: how long; the run goes on after that" },
    json: JSON_FLAG,
    data: DATA_FLAG,
  },
  async run(call, context) {
    const timeoutMs = waitTimeoutOf(call);
    return withBackend(call, context, async (backend) => {
      const id = await backend.submit(await specOf(call, { backend, folder: context.folder }));
      if (call.on("wait")) return wait({ backend, id, timeoutMs }, call, context);
      context.out.print(call.on("json") ? JSON.stringify({ id, state: "queued" }) : id);
      return 0;
    });
  },
};

async function wait(
  run: { readonly backend: Backend; readonly id: string; readonly timeoutMs: number | null },
  call: CommandCall,
  { out, errors }: CommandContext,
): Promise<number> {
  const asJson = call.on("json");
  if (!asJson) out.print(`run ${out.style("bold", run.id)} submitted`);
  const interrupts = watchInterrupts();
  try {
    return await waitForRun({ ...run, asJson, out, errors, interrupted: interrupts.first });
  } finally {
    interrupts.stop();
  }
}

const LONGEST_SECONDS = 24 * 86_400;

function waitTimeoutOf(call: CommandCall): number | null {
  const text = call.text("wait-timeout");
  if (text === undefined) return null;
  if (!call.on("wait")) throw new AirlockError("USAGE", "--wait-timeout needs --wait");
  const seconds = Number(text);
  // a timer of Node's holds 24 days, and overflows to one millisecond beyond
  if (text.trim() !== "" && seconds > 0 && seconds <= LONGEST_SECONDS) return Math.ceil(seconds * 1_000);
  throw new AirlockError(
    "USAGE",
    `--wait-timeout ${text}: it has to be a number of seconds above 0, of 24 days at most`,
  );
}
