import { AirlockError } from "@airlock/core/fault";
import { junitText, markdownText, runReport, type RunReport } from "../report/index.ts";
import { DATA_FLAG, type Command, type CommandCall } from "./command.ts";
import { withBackend } from "./with-backend.ts";

const FORMATS = {
  json: (report: RunReport) => JSON.stringify(report),
  junit: junitText,
  markdown: markdownText,
} as const;

export const reportCommand: Command = {
  summary:
    "reports a run for a CI job: its state, calls with decisions and rules, budgets, sizes and diff stat",
  details:
    "It holds no content. It ends with 0 whatever the run's state is: `run --wait` has the exit codes.",
  positional: { name: "RUN", required: true },
  flags: {
    format: { value: "FORMAT", doc: `${Object.keys(FORMATS).join(", ")} (markdown)` },
    data: DATA_FLAG,
  },
  async run(call, context) {
    const [id, textOf] = [call.positional ?? "", formatOf(call)];
    return withBackend(call, context, async (backend) => {
      const run = await backend.run(id);
      const [events, diff] = await Promise.all([backend.events(id), backend.diff(id)]);
      context.out.print(textOf(runReport({ run, events, diff })));
      return 0;
    });
  },
};

function formatOf(call: CommandCall): (report: RunReport) => string {
  const name = call.text("format") ?? "markdown";
  const format = Object.entries(FORMATS).find(([known]) => known === name);
  if (format !== undefined) return format[1];
  throw new AirlockError("USAGE", `--format ${name}: it has to be ${Object.keys(FORMATS).join(", ")}`);
}
