/** @jsxRuntime automatic @jsxImportSource preact */
import type { RunDocument, RunListEntry } from "@airlock/operator/document";
import type { VNode } from "preact";
import { Layout } from "../layout.tsx";
import { State } from "../part/badge.tsx";
import { Facts, Labels } from "../part/facts.tsx";
import { Ago } from "../part/time.tsx";
import { Visible } from "../part/visible.tsx";
import type { Reader } from "../reader.ts";
import { detailsOf, type Story } from "../steps.ts";
import { RunActions } from "./run-actions.tsx";
import { RunOutput } from "./run-output.tsx";
import { Turn } from "./turn.tsx";

export interface RunProps {
  readonly reader: Reader;
  readonly run: RunDocument;
  /** null before its admission */
  readonly entry: RunListEntry | null;
  readonly story: Story;
  /** where the page hears that it is out of date */
  readonly live: string;
}

export function Run({ reader, run, entry, story, live }: RunProps): VNode {
  return (
    <Layout title={`Run ${run.id}`} reader={reader} here="/runs" live={live}>
      <p class="trail">
        <a href="/runs">Runs</a> › <span class="id">{run.id}</span>
      </p>
      <div id="head" data-fragment>
        <Head reader={reader} run={run} entry={entry} />
      </div>
      <div id="timeline" data-fragment>
        {run.turns.length === 0 && <p class="none">It has no turn yet.</p>}
        {run.turns.map((turn) => (
          <Turn turn={turn} story={story} />
        ))}
      </div>
      <div id="output" data-fragment>
        <RunOutput run={run} />
      </div>
      <details class="events">
        <summary>Events of the run ({story.moments.length})</summary>
        <ol id="moments" data-fragment>
          {story.moments.map(({ at, event }) => (
            <li>
              <time datetime={at}>{at}</time> <strong>{event.type}</strong>{" "}
              <Visible text={detailsOf(event)} />
            </li>
          ))}
        </ol>
      </details>
      <div id="actions">
        <RunActions reader={reader} run={run} requestedBy={entry?.requestedBy ?? null} />
      </div>
    </Layout>
  );
}

function Head({ reader, run, entry }: Omit<RunProps, "story" | "live">): VNode {
  const { turns, calls, mutatingCalls, outputTokens, unreportedAttempts } = run.used;
  return (
    <>
      <h1>
        Run <State state={run.state} />
      </h1>
      {run.reason !== null && (
        <p class="lead">
          <Visible text={run.reason} />
        </p>
      )}
      <Facts
        facts={{
          Route: entry && <Visible text={`${entry.route} · ${entry.model}`} />,
          Outcome: run.outcome && <Visible text={run.outcome} />,
          Pool: run.pool && <Visible text={run.pool} />,
          "Submitted by": entry?.requestedBy ? <Visible text={entry.requestedBy} /> : null,
          Submitted: entry?.createdAt ? <Ago at={entry.createdAt} now={reader.now} /> : null,
          Ended: entry?.endedAt ? <Ago at={entry.endedAt} now={reader.now} /> : null,
          Labels: entry && Object.keys(entry.labels).length > 0 ? <Labels labels={entry.labels} /> : null,
          Used: `${turns} turns, ${calls} calls, ${mutatingCalls} of them mutating, ${outputTokens} output tokens`,
          "Attempts without a count": unreportedAttempts === 0 ? null : unreportedAttempts,
        }}
      />
    </>
  );
}
