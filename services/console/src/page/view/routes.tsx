/** @jsxRuntime automatic @jsxImportSource preact */
import type { RouteDocument } from "@airlock/operator/document";
import type { VNode } from "preact";
import { Layout } from "../layout.tsx";
import { Word } from "../part/badge.tsx";
import { Facts, RunLink } from "../part/facts.tsx";
import { Table } from "../part/table.tsx";
import { Left } from "../part/time.tsx";
import { Visible } from "../part/visible.tsx";
import type { Reader } from "../reader.ts";

export interface RoutesProps {
  readonly reader: Reader;
  readonly routes: readonly RouteDocument[];
  /** where the page hears that it is out of date */
  readonly live: string;
}

export function Routes({ reader, routes, live }: RoutesProps): VNode {
  return (
    <Layout title="Routes" reader={reader} here="/routes" live={live}>
      <h1>Routes</h1>
      <div id="routes" data-fragment>
        {routes.length === 0 && <p class="none">The routes file names none.</p>}
        {routes.map((route) => (
          <RouteCard reader={reader} route={route} />
        ))}
      </div>
    </Layout>
  );
}

function RouteCard({ reader, route }: { readonly reader: Reader; readonly route: RouteDocument }): VNode {
  const { name, family, adapter, models, effects, verified, breaker, reports } = route;
  const { state, openUntil, mismatches } = breaker;
  return (
    <section class="card">
      <h2>
        <Visible text={name} /> <Word word={state} />
      </h2>
      <Facts
        facts={{
          Family: family,
          Adapter: adapter,
          Models: <Names names={models} />,
          Effects: effects,
          "Verified for":
            verified.length === 0 ? (
              "no model: no call runs that changes anything"
            ) : (
              <Names names={verified} />
            ),
          Mismatches: mismatches,
          "Suspended for": openUntil && <Left at={openUntil} now={reader.now} />,
        }}
      />
      <details>
        <summary>Contract reports ({reports.length})</summary>
        <Table
          caption="What each scenario showed"
          none="No scenario was played."
          rows={reports}
          columns={[
            { title: "Covers", cell: ({ covers }) => <Visible text={covers} /> },
            { title: "Scenario", cell: ({ scenario }) => scenario },
            { title: "Result", cell: ({ result }) => <Word word={result} /> },
            { title: "Counts", cell: ({ counts, adapter }) => (counts ? "yes" : `no: for ${adapter}`) },
            { title: "Run", cell: ({ run }) => <RunLink run={run} /> },
          ]}
        />
      </details>
    </section>
  );
}

function Names({ names }: { readonly names: readonly string[] }): VNode {
  return <Visible text={names.join(", ")} />;
}
