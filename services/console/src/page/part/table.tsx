/** @jsxRuntime automatic @jsxImportSource preact */
import type { ComponentChild, VNode } from "preact";

export interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => ComponentChild;
  /** set from the right: figures */
  readonly figures?: true;
}

interface TableProps<Row> {
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  /** said in place of a table without rows */
  readonly none: string;
  /** rows that `j` and `k` walk over and whose first link `Enter` opens */
  readonly walk?: true;
}

/** On a phone each row becomes a block whose cells carry their column's title. */
export function Table<Row>({ caption, columns, rows, none, walk }: TableProps<Row>): VNode {
  if (rows.length === 0) return <p class="none">{none}</p>;
  return (
    <table class="list" data-walk={walk === true ? "" : undefined}>
      <caption>{caption}</caption>
      <thead>
        <tr>
          {columns.map(({ title, figures }) => (
            <th scope="col" class={figures === true ? "figures" : undefined}>
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr>
            {columns.map(({ title, cell, figures }) => (
              <td data-title={title} class={figures === true ? "figures" : undefined}>
                {cell(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
