import { diffNotes, diffStatText, plainText } from "../view/index.ts";
import { DATA_FLAG, JSON_FLAG, type Command } from "./command.ts";
import { withBackend } from "./with-backend.ts";

export const diffCommand: Command = {
  summary: "shows what an ended run changed of its workspace",
  details: "The diff goes to standard output, everything else about it to standard error.",
  positional: { name: "RUN", required: true },
  flags: {
    stat: { value: null, doc: "one line per file instead of the text" },
    json: JSON_FLAG,
    data: DATA_FLAG,
  },
  async run(call, context) {
    const { out, errors } = context;
    return withBackend(call, context, async (backend) => {
      const document = await backend.diff(call.positional ?? "");
      const { diff, status } = document;
      const exitCode = status === "taken" || status === "none" ? 0 : 1;
      if (call.on("json")) {
        out.print(JSON.stringify(document));
        return exitCode;
      }
      if (diff !== null && call.on("stat")) out.print(diffStatText(diff));
      else if (diff !== null) out.write(out.terminal ? plainText(diff.text) : diff.text);
      for (const note of diffNotes(document)) errors.print(note);
      return exitCode;
    });
  },
};
