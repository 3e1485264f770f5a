import { isJsonArray, type JsonObject, type JsonValue } from "@airlock/core/json";
import type { Preview } from "@airlock/core/contract";
import type { ApprovalDocument } from "./approval-schemas.ts";

type Shown = ApprovalDocument["evidence"]["shown"];

const AS_JSON: Shown = { kind: "json" };

/** What a call would do in the form that people read best; tools that are not named here show their arguments. */
const SHOWN: ReadonlyMap<string, (args: JsonObject) => Shown> = new Map([
  ["run_command", shownCommand],
  ["apply_patch", ({ patch }: JsonObject) => diff(text(patch))],
  ["write_file", ({ path, content }: JsonObject) => diff(changed(text(path), "", text(content)))],
  [
    "edit_file",
    ({ path, oldText, newText }: JsonObject) => diff(changed(text(path), text(oldText), text(newText))),
  ],
  ["delete_file", ({ path }: JsonObject) => diff(`--- a/${text(path)}\n+++ /dev/null\n`)],
  ["move_file", ({ from, to }: JsonObject) => diff(`rename from ${text(from)}\nrename to ${text(to)}\n`)],
]);

export function shownOf(tool: string, args: JsonObject): Shown {
  return SHOWN.get(tool)?.(args) ?? AS_JSON;
}

function shownCommand({ argv, cwd }: JsonObject): Shown {
  if (argv === undefined || !isJsonArray(argv)) return AS_JSON;
  return { kind: "argv", argv: argv.map(text), cwd: typeof cwd === "string" ? cwd : null };
}

/** Nobody here has the tree, so the hunk has no place: what goes, then what comes. */
function changed(path: string, before: string, after: string): string {
  return [`--- a/${path}`, `+++ b/${path}`, "@@", ...lines("-", before), ...lines("+", after), ""].join("\n");
}

function lines(sign: string, content: string): readonly string[] {
  if (content === "") return [];
  const whole = content.endsWith("\n");
  const parts = (whole ? content.slice(0, -1) : content).split("\n").map((line) => `${sign}${line}`);
  return whole ? parts : [...parts, "\\ No newline at end of file"];
}

function diff(shown: string): Shown {
  return { kind: "diff", diff: shown, tree: null };
}

/** The same held against the run's tree, as an executor saw it when the workspace had counted `preview.epoch` changes. */
export function againstTree(shown: Shown, preview: Preview | null, epoch: number): Shown {
  if (shown.kind !== "diff" || preview === null) return shown;
  const { seenAt, refused } = preview;
  const tree = { seenAt: new Date(seenAt).toISOString(), changed: preview.epoch !== epoch, refused };
  return { kind: "diff", diff: preview.diff ?? shown.diff, tree };
}

function text(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : "";
}
