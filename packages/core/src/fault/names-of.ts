/** The keys of a table, typed as they stand in it: tables are literals, so they hold no other keys. */
export function namesOf<Table extends object>(table: Table): readonly (keyof Table & string)[] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the one place where keys get their type
  return Object.keys(table) as (keyof Table & string)[];
}
