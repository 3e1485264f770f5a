import { AirlockError, isErrorClass } from "@airlock/core/fault";
import { isRunId } from "@airlock/core/record";
import { ENTRY_STATES, type QuarantineFilter } from "@airlock/operator/document";
import { quarantineListText, quarantineText } from "../view/index.ts";
import { DATA_FLAG, JSON_FLAG, type Command, type CommandCall } from "./command.ts";
import { limitOf } from "./limit.ts";
import { withBackend } from "./with-backend.ts";

const DEFAULT_LIMIT = 50;

export const quarantineListCommand: Command = {
  summary: "lists what was refused and what waits for a person: calls, responses, artifacts, runs",
  details:
    "open: it waits for a person; requeued, abandoned: somebody acted on it; passed: the run went on by itself.",
  positional: null,
  flags: {
    run: { value: "RUN", doc: "only of this run" },
    class: { value: "CLASS", doc: "only of this error class" },
    state: { value: "STATE", doc: `${ENTRY_STATES.join(", ")} or all (open)` },
    limit: { value: "N", doc: `how many at most (${DEFAULT_LIMIT})` },
    json: JSON_FLAG,
    data: DATA_FLAG,
  },
  async run(call, context) {
    const filter = filterOf(call);
    return withBackend(call, context, async (backend) => {
      const entries = await backend.quarantine(filter);
      context.out.print(call.on("json") ? JSON.stringify(entries) : quarantineListText(context.out, entries));
      return 0;
    });
  },
};

export const quarantineShowCommand: Command = {
  summary: "shows what was refused of a run, a response or a call, and what people did about it",
  positional: { name: "RUN|ITEM", required: true },
  flags: {
    raw: { value: null, doc: "with the content that is still kept, where the local keys open it" },
    json: JSON_FLAG,
    data: DATA_FLAG,
  },
  async run(call, context) {
    return withBackend(call, context, async (backend) => {
      const document = await backend.quarantined(call.positional ?? "", { raw: call.on("raw") });
      context.out.print(call.on("json") ? JSON.stringify(document) : quarantineText(context.out, document));
      return 0;
    });
  },
};

function filterOf(call: CommandCall): QuarantineFilter {
  const [run, errorClass] = [call.text("run"), call.text("class")];
  const state = call.text("state") ?? "open";
  const limit = limitOf(call, DEFAULT_LIMIT);
  const known = state === "all" ? null : ENTRY_STATES.find((each) => each === state);
  if (known === undefined) {
    throw new AirlockError("USAGE", `--state ${state}: it has to be ${ENTRY_STATES.join(", ")} or all`);
  }
  if (run !== undefined && !isRunId(run)) throw new AirlockError("USAGE", `--run ${run}: it is not a run id`);
  if (errorClass !== undefined && !isErrorClass(errorClass)) {
    throw new AirlockError("USAGE", `--class ${errorClass}: docs/errors.md lists the error classes`);
  }
  return { run: run ?? null, errorClass: errorClass ?? null, state: known, limit };
}
