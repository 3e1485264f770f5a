import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { FAMILIES, type Family } from "@airlock/core/wire";
import { ROWS } from "../conformance/rows.ts";
import type { Table } from "./markdown.ts";

const FOLDER = fileURLToPath(new URL("../../fixtures/conformance/", import.meta.url));

const VERDICTS = {
  accept: "accepted",
  call: "that call is set aside",
  response: "nothing of the response runs",
} as const;

interface CaseFile {
  readonly family: Family;
  readonly name: string;
  readonly title: string;
  readonly covers?: readonly string[];
  readonly expected: {
    readonly outcome: string;
    readonly errorClass: string | null;
    readonly items: readonly { readonly kind: string; readonly errorClass: string | null }[];
    readonly executable: readonly number[];
  };
}

const FILES: readonly CaseFile[] = FAMILIES.flatMap((family) => caseFiles(family));

function caseFiles(family: Family): readonly CaseFile[] {
  const folder = `${FOLDER}${family}/`;
  return readdirSync(folder)
    .filter((file) => file.endsWith(".expected.json"))
    .toSorted()
    .map((file) => ({
      family,
      name: file.slice(0, -".expected.json".length),
      ...(JSON.parse(readFileSync(folder + file, "utf8")) as Omit<CaseFile, "family" | "name">),
    }));
}

/** The conformance suite as tables: its rows, and the cases of each family as their files say. */
export const CONFORMANCE_TABLES: Readonly<Record<string, Table>> = {
  "conformance-rows": {
    head: ["row", "what arrives", "verdict", "cases"],
    rows: Object.entries(ROWS).map(([id, { deviation, verdicts }]) => [
      id,
      deviation,
      verdicts.map((verdict) => VERDICTS[verdict]).join("; "),
      String(FILES.filter(({ covers = [] }) => covers.includes(id)).length),
    ]),
  },
  ...Object.fromEntries(FAMILIES.map((family) => [`conformance-${family}`, familyTable(family)])),
};

function familyTable(family: Family): Table {
  const files = FILES.filter((file) => file.family === family);
  return {
    head: ["case", "what it says", "rows", "outcome", "runs", "why not"],
    rows: files.map(({ name, title, covers = [], expected }) => [
      `\`${name}\``,
      title,
      covers.join(", "),
      expected.outcome,
      `${expected.executable.length} of ${expected.items.filter(({ kind }) => kind === "tool_call").length}`,
      reasonsOf(expected).join(", "),
    ]),
  };
}

function reasonsOf({ errorClass, items }: CaseFile["expected"]): readonly string[] {
  const own = items.map((item) => item.errorClass).filter((found) => found !== "RESPONSE_NOT_EXECUTABLE");
  return [...new Set([errorClass, ...own])].filter((found) => found !== null).map((found) => `\`${found}\``);
}
