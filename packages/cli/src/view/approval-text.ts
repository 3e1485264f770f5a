import type { ApprovalDocument, ApprovalEntry } from "@airlock/operator/document";
import { plainCell, plainText, type Screen } from "./screen.ts";
import { table } from "./table.ts";
import { ageText } from "./time-text.ts";

/** The calls that wait for people, the soonest to expire first. */
export function approvalListText(screen: Screen, entries: readonly ApprovalEntry[], now: number): string {
  if (entries.length === 0) return "no call waits for a person";
  const rows = entries.map((entry) => [
    entry.itemKey,
    plainCell(entry.tool),
    entry.effect,
    riskText(screen, entry.risk),
    `${entry.approvals.length} of ${entry.quorum}`,
    ageText(Date.parse(entry.expiresAt) - now),
    plainCell(entry.requestedBy),
    plainCell(entry.reason ?? entry.rule ?? "-"),
  ]);
  return table(["ITEM", "TOOL", "EFFECT", "RISK", "APPROVED", "LEFT", "ASKED FOR BY", "WHY"], rows);
}

function riskText(screen: Screen, risk: ApprovalEntry["risk"]): string {
  return risk === "low" ? risk : screen.style(risk === "medium" ? "yellow" : "red", risk);
}

/** What exactly would run, and all that an approver should know of it. */
export function approvalText(screen: Screen, approval: ApprovalDocument, now: number): string {
  const { itemKey, evidence } = approval;
  const { claims, siblings, treeChanged, nonce, hosted } = evidence;
  const left = ageText(Date.parse(approval.expiresAt) - now);
  const rows = Object.entries({
    tool: `${approval.tool} (${approval.effect})`,
    risk: riskText(screen, approval.risk),
    "run by": hosted === undefined ? "" : hostedText(hosted),
    why: [approval.rule, approval.reason].filter((part) => part !== null).join(": ") || "-",
    "asked for by": approval.requestedBy,
    approved: `${approval.approvals.length} of ${approval.quorum}${named(approval.approvals)}`,
    expires: `${approval.expiresAt} (in ${left})`,
    reads: claims?.reads.join(", ") ?? "",
    writes: claims?.writes.join(", ") ?? "",
    workspace: claims?.workspace ?? "",
    "tree changed": treeChanged === null ? "nobody can say" : treeChanged ? "yes, since it was asked" : "no",
    siblings: siblings.map(({ itemKey: key, tool, state }) => `${placeOf(key)} ${tool} ${state}`).join(", "),
  }).flatMap(([name, value]) =>
    value === "" ? [] : [[`  ${name}`, name === "risk" ? value : plainCell(value)]],
  );
  return [
    `${screen.style("bold", itemKey)}\n${table(rows[0] ?? [], rows.slice(1))}`,
    `${screen.style("bold", hosted === undefined ? "it would run" : "its provider would run")}\n${shownText(evidence)}`,
    `airlock approvals approve ${itemKey} --nonce ${nonce} --reason TEXT; or deny it`,
  ].join("\n\n");
}

/** Nobody is to take Airlock's word for what it does not run. */
function hostedText({ server, name }: NonNullable<ApprovalDocument["evidence"]["hosted"]>): string {
  return `the model's provider (${name} of its server ${server}): Airlock's sandbox and limits hold nothing there`;
}

function named(names: readonly string[]): string {
  return names.length === 0 ? "" : ` (${names.join(", ")})`;
}

function placeOf(itemKey: string): string {
  return itemKey.slice(itemKey.indexOf(".") + 1);
}

function shownText({ shown, arguments: args }: ApprovalDocument["evidence"]): string {
  switch (shown.kind) {
    case "argv":
      return [
        // one word of the command a line, quoted: where a word ends must not be a matter of spaces
        ...shown.argv.map((word) => `  ${inert(word)}`),
        ...(shown.cwd === null ? [] : [`  in ${inert(shown.cwd)}`]),
      ].join("\n");
    case "diff":
      // invisible characters would make a line read as another one
      return `${plainText(shown.diff).replaceAll(/\p{Cf}/gu, escaped)}\n${plainText(heldText(shown.tree))}`;
    case "json":
      return inert(args, 2);
  }
}

/** Whether a diff was held against the files that there are, and what came of it. */
function heldText(tree: Extract<ApprovalDocument["evidence"]["shown"], { kind: "diff" }>["tree"]): string {
  if (tree === null)
    return "(no executor has held it against the run's files yet: it may replace what is there)";
  const { seenAt, changed, refused } = tree;
  if (refused !== null) return `(as the run's files stood at ${seenAt}, it would be refused: ${refused})`;
  return `(against the run's files as they stood at ${seenAt}${changed ? "; they may have changed since" : ""})`;
}

/** JSON in which every character that is not plain ASCII stands as its escape: nothing looks like what it is not. */
function inert(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replaceAll(/[\u007f-\uffff]/g, escaped);
}

function escaped(character: string): string {
  return `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`;
}
