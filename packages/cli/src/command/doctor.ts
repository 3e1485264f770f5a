import { checkMachine, gatherFacts, type Check } from "../doctor/index.ts";
import { plainCell, table, type Screen } from "../view/index.ts";
import { DATA_FLAG, JSON_FLAG, type Command } from "./command.ts";
import { noteRemote } from "./with-session.ts";

const COLOURS = { ok: "green", warn: "yellow", fail: "red" } as const satisfies Record<
  Check["status"],
  string
>;

export const doctorCommand: Command = {
  summary: "checks what this machine has and lacks, with the fix for each; ends with 1 where something fails",
  positional: null,
  flags: { json: JSON_FLAG, data: DATA_FLAG },
  async run(call, context) {
    noteRemote(context);
    const { environment, folder, out } = context;
    const checks = checkMachine(await gatherFacts({ environment, folder, data: call.text("data") }));
    const failed = checks.some(({ status }) => status === "fail");
    out.print(call.on("json") ? JSON.stringify({ ok: !failed, checks }) : checksText(out, checks));
    return failed ? 1 : 0;
  },
};

function checksText(out: Screen, checks: readonly Check[]): string {
  const rows = checks.map(({ name, status, found, fix }) => [
    out.style(COLOURS[status], status),
    name,
    plainCell(fix === null ? found : `${found}; fix: ${fix}`),
  ]);
  return table(["", "CHECK", "FOUND"], rows);
}
