import { AirlockError } from "@airlock/core/fault";
import { isRunId } from "@airlock/core/record";
import { ledgerListText, ledgerText } from "../view/index.ts";
import { DATA_FLAG, JSON_FLAG, type Command } from "./command.ts";
import { withBackend } from "./with-backend.ts";

export const ledgerListCommand: Command = {
  summary: "lists the calls that began and whose end nobody saw: no call with effects runs beside one",
  positional: null,
  flags: {
    run: { value: "RUN", doc: "only of this run" },
    json: JSON_FLAG,
    data: DATA_FLAG,
  },
  async run(call, context) {
    const run = call.text("run") ?? null;
    if (run !== null && !isRunId(run)) throw new AirlockError("USAGE", `--run ${run}: it is not a run id`);
    return withBackend(call, context, async (backend) => {
      const calls = await backend.unknown(run);
      context.out.print(
        call.on("json") ? JSON.stringify(calls) : ledgerListText(context.out, calls, Date.now()),
      );
      return 0;
    });
  },
};

export const ledgerShowCommand: Command = {
  summary: "shows what the ledger has of a call: its state, fences, owner, times, and what was found out",
  positional: { name: "ITEM", required: true },
  flags: {
    raw: {
      value: null,
      doc: "with what its probe is held against and what it gave, where the local keys open it",
    },
    json: JSON_FLAG,
    data: DATA_FLAG,
  },
  async run(call, context) {
    return withBackend(call, context, async (backend) => {
      const document = await backend.ledger(call.positional ?? "", { raw: call.on("raw") });
      context.out.print(call.on("json") ? JSON.stringify(document) : ledgerText(context.out, document));
      return 0;
    });
  },
};
