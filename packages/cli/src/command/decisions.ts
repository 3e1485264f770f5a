import { AirlockError } from "@airlock/core/fault";
import { durationSchema } from "@airlock/core/policy";
import { decisionListText } from "../view/index.ts";
import { DATA_FLAG, JSON_FLAG, type Command, type CommandCall } from "./command.ts";
import { withBackend } from "./with-backend.ts";

const DEFAULT_SAMPLE = "20";
const DEFAULT_SINCE = "1h";
const MOST = 1_000;

export const decisionsCommand: Command = {
  summary: "shows a random sample of the latest decision lines of all runs, without any content",
  details:
    "Both decision logs are sampled: one line per item, one per response. The latest ten thousand lines are kept.",
  positional: null,
  flags: {
    sample: { value: "N", doc: `how many at most (${DEFAULT_SAMPLE})` },
    since: { value: "T", doc: `how far back, as 90s, 30m, 12h or 7d (${DEFAULT_SINCE})` },
    json: JSON_FLAG,
    data: DATA_FLAG,
  },
  async run(call, context) {
    const query = queryOf(call);
    return withBackend(call, context, async (backend) => {
      const entries = await backend.decisions(query);
      context.out.print(call.on("json") ? JSON.stringify(entries) : decisionListText(entries));
      return 0;
    });
  },
};

function queryOf(call: CommandCall): { readonly sample: number; readonly sinceMs: number } {
  const [count, since] = [call.text("sample") ?? DEFAULT_SAMPLE, call.text("since") ?? DEFAULT_SINCE];
  const sample = Number(count);
  if (!Number.isInteger(sample) || sample < 1 || sample > MOST)
    throw new AirlockError("USAGE", `--sample ${count}: it has to be a whole number from 1 to ${MOST}`);
  const span = durationSchema.safeParse(since);
  if (!span.success)
    throw new AirlockError("USAGE", `--since ${since}: a time is written 90s, 30m, 12h or 7d`);
  return { sample, sinceMs: span.data };
}
