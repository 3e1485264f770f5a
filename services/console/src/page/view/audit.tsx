/** @jsxRuntime automatic @jsxImportSource preact */
import type { VNode } from "preact";
import type { AuditRecord } from "../../audit/index.ts";
import { Layout } from "../layout.tsx";
import { Table, type Column } from "../part/table.tsx";
import { Ago } from "../part/time.tsx";
import { Visible } from "../part/visible.tsx";
import type { Reader } from "../reader.ts";

export interface AuditProps {
  readonly reader: Reader;
  readonly entries: readonly AuditRecord[];
  /** of the last entry; null at the end */
  readonly next: string | null;
}

export function AuditPage({ reader, entries, next }: AuditProps): VNode {
  return (
    <Layout title="Audit" reader={reader} here="/audit">
      <h1>Audit</h1>
      <p class="quiet">
        Everything that people and programs did through this console, before it was done and what came of it.
      </p>
      <Table
        caption="The latest first"
        columns={columns(reader)}
        rows={entries}
        none="Nobody has done anything yet."
        walk
      />
      {next !== null && (
        <p class="pages">
          <a href={`/audit?before=${encodeURIComponent(next)}`} rel="next">
            Older entries
          </a>
        </p>
      )}
    </Layout>
  );
}

function columns({ now }: Reader): readonly Column<AuditRecord>[] {
  return [
    {
      title: "When",
      cell: ({ id }) => <Ago at={new Date(Number(id.split("-")[0])).toISOString()} now={now} />,
    },
    {
      title: "Who",
      cell: ({ by, via }) => (
        <>
          <Visible text={by} /> <span class="quiet">{via}</span>
        </>
      ),
    },
    {
      title: "Did",
      cell: ({ action }) => (
        <code>
          <Visible text={action} />
        </code>
      ),
    },
    {
      title: "To",
      cell: ({ target }) => (
        <span class="id">
          <Visible text={target ?? ""} />
        </span>
      ),
    },
    { title: "Outcome", cell: ({ outcome }) => <Visible text={outcome} /> },
    { title: "From", cell: ({ address }) => <Visible text={address} /> },
    {
      title: "Request",
      cell: ({ request }) => (
        <span class="id">
          <Visible text={request ?? ""} />
        </span>
      ),
    },
  ];
}
