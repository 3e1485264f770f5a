/** @jsxRuntime automatic @jsxImportSource preact */
import type { PoolDocument, PoolLeases } from "@airlock/operator/document";
import type { VNode } from "preact";
import { Layout } from "../layout.tsx";
import { Word } from "../part/badge.tsx";
import { RunLink } from "../part/facts.tsx";
import { Table } from "../part/table.tsx";
import { Ago, Left } from "../part/time.tsx";
import { Visible } from "../part/visible.tsx";
import type { Reader } from "../reader.ts";

export interface ExecutorsProps {
  readonly reader: Reader;
  readonly pools: readonly (PoolDocument & PoolLeases)[];
}

export function Executors({ reader, pools }: ExecutorsProps): VNode {
  return (
    <Layout title="Executors" reader={reader} here="/executors" live="/live/clock">
      <h1>Executors</h1>
      <div id="pools" data-fragment>
        {pools.length === 0 && <p class="none">No executor has come up yet.</p>}
        {pools.map((pool) => (
          <PoolCard reader={reader} pool={pool} />
        ))}
      </div>
    </Layout>
  );
}

interface PoolCardProps {
  readonly reader: Reader;
  readonly pool: ExecutorsProps["pools"][number];
}

function PoolCard({ reader, pool }: PoolCardProps): VNode {
  const { name, runs, executors } = pool;
  return (
    <section class="card">
      <h2>
        Pool <Visible text={name} /> <span class="quiet">{runs} runs are bound to it</span>
      </h2>
      <Table
        caption="Executors"
        none="None serves it."
        rows={executors}
        columns={[
          {
            title: "Executor",
            cell: ({ id }) => (
              <span class="id">
                <Visible text={id} />
              </span>
            ),
          },
          { title: "Host", cell: ({ host }) => <Visible text={host} /> },
          { title: "State", cell: ({ state }) => <Word word={state} /> },
          { title: "Heard of", cell: ({ seenAt }) => <Ago at={seenAt} now={reader.now} /> },
        ]}
      />
      <Leases pool={pool} reader={reader} />
    </section>
  );
}

function Leases({ reader, pool }: PoolCardProps): VNode {
  const { runs, leases, seenRuns } = pool;
  return (
    <Table
      caption={seenRuns < runs ? `Leases on workspaces, of ${seenRuns} of its runs` : "Leases on workspaces"}
      none="No workspace is being changed."
      rows={leases}
      columns={[
        { title: "Run", cell: ({ run }) => <RunLink run={run} /> },
        {
          title: "Call",
          cell: ({ itemKey }) => (
            <span class="id">
              <Visible text={itemKey} />
            </span>
          ),
        },
        { title: "Until", cell: ({ until }) => <Left at={until} now={reader.now} /> },
      ]}
    />
  );
}
