import { approvalListText, approvalText } from "../view/index.ts";
import { DATA_FLAG, JSON_FLAG, type Command } from "./command.ts";
import { limitOf } from "./limit.ts";
import { withBackend } from "./with-backend.ts";

export const approvalsListCommand: Command = {
  summary: "lists the calls that wait for a person, the soonest to expire first",
  positional: null,
  flags: { limit: { value: "N", doc: "how many at most (all)" }, json: JSON_FLAG, data: DATA_FLAG },
  async run(call, context) {
    const limit = limitOf(call, Infinity);
    return withBackend(call, context, async (backend) => {
      const entries = await backend.approvals(limit);
      context.out.print(
        call.on("json") ? JSON.stringify(entries) : approvalListText(context.out, entries, Date.now()),
      );
      return 0;
    });
  },
};

export const approvalsShowCommand: Command = {
  summary: "shows what exactly a call would run, its risk, and what else an approver should know",
  positional: { name: "ITEM", required: true },
  flags: { json: JSON_FLAG, data: DATA_FLAG },
  async run(call, context) {
    return withBackend(call, context, async (backend) => {
      const document = await backend.approval(call.positional ?? "");
      context.out.print(
        call.on("json") ? JSON.stringify(document) : approvalText(context.out, document, Date.now()),
      );
      return 0;
    });
  },
};
