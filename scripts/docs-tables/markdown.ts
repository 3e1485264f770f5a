export interface Table {
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** A Markdown table with aligned columns, as the formatter leaves it. */
function markdownTable({ head, rows }: Table): string {
  const cells = [head, ...rows].map((row) => row.map((cell) => cell.replaceAll("|", "\\|")));
  const widths = head.map((_, at) => Math.max(3, ...cells.map((row) => row[at]?.length ?? 0)));
  const line = (row: readonly string[], fill = " "): string =>
    `| ${widths.map((width, at) => (row[at] ?? "").padEnd(width, fill)).join(" | ")} |`;
  const [first = [], ...others] = cells;
  return [line(first), line([], "-"), ...others.map((row) => line(row))].join("\n");
}

const PLACE = /(<!-- table: ([a-z-]+) -->\n)[\s\S]*?(\n<!-- end of table -->)/g;

/** Fills every place `<!-- table: name --> … <!-- end of table -->`. Throws at a name that no table has. */
export function fillTables(text: string, tables: Readonly<Record<string, Table>>): string {
  return text.replaceAll(PLACE, (_, open: string, name: string, close: string) => {
    const table = Object.hasOwn(tables, name) ? tables[name] : undefined;
    if (table === undefined) throw new RangeError(`there is no table ${name}`);
    return `${open}\n${markdownTable(table)}\n${close}`;
  });
}

export function placesOf(text: string): readonly string[] {
  return [...text.matchAll(PLACE)].map(([, , name]) => name ?? "");
}
