/** @jsxRuntime automatic @jsxImportSource preact */
import type { RunListEntry, RunPage } from "@airlock/operator/document";
import { RUN_STATES } from "@airlock/core/run";
import type { VNode } from "preact";
import { Layout } from "../layout.tsx";
import { State } from "../part/badge.tsx";
import { Labels, RunLink } from "../part/facts.tsx";
import { Table, type Column } from "../part/table.tsx";
import { Ago } from "../part/time.tsx";
import { Visible } from "../part/visible.tsx";
import type { Reader } from "../reader.ts";

export interface RunsProps {
  readonly reader: Reader;
  readonly page: RunPage;
  /** where the page hears that it is out of date */
  readonly live: string;
  /** as they stand in the address */
  readonly filter: { readonly state: string; readonly label: string; readonly cursor: string };
}

export function Runs({ reader, page, filter, live }: RunsProps): VNode {
  const next = new URLSearchParams({ state: filter.state, label: filter.label, cursor: page.next ?? "" });
  const short = page.next !== null && page.runs.length === 0;
  return (
    <Layout title="Runs" reader={reader} here="/runs" live={filter.cursor === "" ? live : null}>
      <h1>Runs</h1>
      <Filter filter={filter} />
      <div id="runs" data-fragment>
        <Table
          caption="The latest first"
          columns={columns(reader)}
          rows={page.runs}
          none={short ? "None among the 2,000 that were looked at." : "No run fits."}
          walk
        />
        {page.next !== null && (
          <p class="pages">
            <a href={`/runs?${next.toString()}`} rel="next">
              {short ? "Look further" : "Older runs"}
            </a>
          </p>
        )}
      </div>
    </Layout>
  );
}

function Filter({ filter }: Pick<RunsProps, "filter">): VNode {
  return (
    <form class="filter" method="get" action="/runs" role="search" aria-label="Filter the runs">
      <label>
        State{" "}
        <select name="state">
          <option value="">any</option>
          {Object.keys(RUN_STATES).map((state) => (
            <option value={state} selected={state === filter.state}>
              {state}
            </option>
          ))}
        </select>
      </label>
      <label>
        Label{" "}
        <input name="label" type="text" placeholder="name=value" value={filter.label} autocomplete="off" />
      </label>
      <button type="submit">Filter</button>
    </form>
  );
}

function columns({ now }: Reader): readonly Column<RunListEntry>[] {
  return [
    { title: "Run", cell: ({ id }) => <RunLink run={id} /> },
    { title: "State", cell: ({ state }) => <State state={state} /> },
    { title: "Route", cell: ({ route }) => <Visible text={route} /> },
    { title: "Model", cell: ({ model }) => <Visible text={model} /> },
    { title: "Turn", cell: ({ turn }) => turn, figures: true },
    { title: "Labels", cell: ({ labels }) => <Labels labels={labels} /> },
    { title: "Submitted", cell: ({ createdAt }) => createdAt && <Ago at={createdAt} now={now} /> },
    { title: "Why it ended", cell: ({ reason }) => reason && <Reason text={reason} /> },
  ];
}

function Reason({ text }: { readonly text: string }): VNode {
  return (
    <span class="reason" title={text}>
      <Visible text={text} />
    </span>
  );
}
