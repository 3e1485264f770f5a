/** @jsxRuntime automatic @jsxImportSource preact */
import { ENTRY_STATES, type QuarantineEntry, type QuarantinePage } from "@airlock/operator/document";
import type { VNode } from "preact";
import { Layout } from "../layout.tsx";
import { State, Word } from "../part/badge.tsx";
import { bytes, RunLink } from "../part/facts.tsx";
import { NextPage } from "../part/next-page.tsx";
import { Table, type Column } from "../part/table.tsx";
import { Visible } from "../part/visible.tsx";
import type { Reader } from "../reader.ts";

export interface QuarantineProps {
  readonly reader: Reader;
  readonly page: QuarantinePage;
  /** where the page hears that it is out of date; null for all but the first */
  readonly live: string | null;
  /** `all` or one of the entries' states */
  readonly state: string;
}

export function Quarantine({ reader, page, state, live }: QuarantineProps): VNode {
  const { entries, next } = page;
  return (
    <Layout title="Quarantine" reader={reader} here="/quarantine" live={live}>
      <h1>Quarantine</h1>
      <p class="quiet">
        What was refused, and why. A run's own page has the forms to let it go on or to give it up.
      </p>
      <nav class="tabs" aria-label="State of the entries">
        {[...ENTRY_STATES, "all"].map((each) => (
          <a href={`/quarantine?state=${each}`} aria-current={each === state ? "page" : undefined}>
            {each}
          </a>
        ))}
      </nav>
      <div id="entries" data-fragment>
        <Table
          caption="The latest runs first"
          columns={COLUMNS}
          rows={entries}
          none={next === null ? "Nothing is here." : "Nothing of the latest runs is here."}
          walk
        />
        <NextPage path="/quarantine" query={{ state }} cursor={next} text="Older runs" />
      </div>
    </Layout>
  );
}

const COLUMNS: readonly Column<QuarantineEntry>[] = [
  { title: "Run", cell: ({ run }) => <RunLink run={run} /> },
  {
    title: "What",
    cell: ({ kind, turn, attempt }) => `${kind}, turn ${turn}${attempt === null ? "" : `.${attempt}`}`,
  },
  { title: "Tool", cell: ({ tool }) => tool && <Visible text={tool} /> },
  { title: "Ended", cell: ({ ended }) => <State state={ended} /> },
  { title: "Why", cell: ({ errorClass, reason, rule }) => <Why parts={[errorClass, rule, reason]} /> },
  { title: "Size", cell: (entry) => bytes(entry.bytes), figures: true },
  { title: "State", cell: ({ state }) => <Word word={state === "open" ? "waits" : state} /> },
];

function Why({ parts }: { readonly parts: readonly (string | null)[] }): VNode {
  return <Visible text={parts.filter((part) => part !== null).join(" · ")} />;
}
