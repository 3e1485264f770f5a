import { z } from "zod";
import { isRunId } from "../record/index.ts";

/** What a person may stop, and how each is named: `global`, `repository:<source>`, `tool:<name>`, `run:<run id>`. */
export const KILL_SCOPES = {
  global: { names: null, takes: () => false },
  repository: { names: "a source as specs name it", takes: (name: string) => name !== "" },
  tool: { names: "a tool's name", takes: (name: string) => /^[A-Za-z0-9_.-]{1,64}$/.test(name) },
  run: { names: "a run id", takes: isRunId },
} as const satisfies Record<
  string,
  { readonly names: string | null; readonly takes: (name: string) => boolean }
>;

/** The name of a switch, which is also its field in `airlock:kill`. */
export const killTargetSchema = z
  .string()
  .max(1_024)
  .refine(isKillTarget, "it has to be global, repository:SOURCE, tool:NAME or run:ID");

function isKillTarget(text: string): boolean {
  if (text === "global") return true;
  // oxlint-disable-next-line no-control-regex -- they are what is refused
  if (/[\u0000-\u001f\u007f-\u009f]/.test(text)) return false;
  const [scope = "", ...rest] = text.split(":");
  const name = rest.join(":");
  const known = Object.entries(KILL_SCOPES).find(([each]) => each === scope);
  return known !== undefined && known[1].takes(name);
}
