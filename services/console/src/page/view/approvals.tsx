/** @jsxRuntime automatic @jsxImportSource preact */
import type { ApprovalEntry, ApprovalPage } from "@airlock/operator/document";
import type { VNode } from "preact";
import { Layout } from "../layout.tsx";
import { Word } from "../part/badge.tsx";
import { Labels, RunLink } from "../part/facts.tsx";
import { NextPage } from "../part/next-page.tsx";
import { Table, type Column } from "../part/table.tsx";
import { Ago, Left } from "../part/time.tsx";
import { Visible } from "../part/visible.tsx";
import type { Reader } from "../reader.ts";

export const SAID = ["approved", "denied", "pending"] as const;

const WORDS: Readonly<Record<(typeof SAID)[number], string>> = {
  approved: "Approved: the call goes on.",
  denied: "Denied: the call does not run.",
  pending: "Your approval counts; the call still waits for others.",
};

export interface ApprovalsProps {
  readonly reader: Reader;
  readonly page: ApprovalPage;
  /** where the page hears that it is out of date; null for all but the first */
  readonly live: string | null;
  /** what came of the answer that led here */
  readonly said: (typeof SAID)[number] | null;
}

export function Approvals({ reader, page, said, live }: ApprovalsProps): VNode {
  const { approvals, next } = page;
  const count = live === null ? "" : ` (${approvals.length}${next === null ? "" : "+"})`;
  return (
    <Layout title={`Approvals${count}`} reader={reader} here="/approvals" live={live}>
      <h1>Approvals</h1>
      {said !== null && (
        <p class="notice" role="status">
          {WORDS[said]}
        </p>
      )}
      <p class="quiet">
        Calls that wait for a person, the first to run out on top. <kbd>j</kbd> <kbd>k</kbd> walk,{" "}
        <kbd>Enter</kbd> opens.
      </p>
      <div id="approvals" data-fragment>
        <Table
          caption="Waiting"
          columns={columns(reader)}
          rows={approvals}
          none={
            next === null ? "Nothing waits for anybody." : "None of those that were looked at waits any more."
          }
          walk
        />
        <NextPage path="/approvals" cursor={next} text="Those with more time" />
      </div>
    </Layout>
  );
}

function columns({ now }: Reader): readonly Column<ApprovalEntry>[] {
  return [
    {
      title: "Call",
      cell: ({ itemKey, tool }) => (
        <a href={`/approvals/${encodeURIComponent(itemKey)}`}>
          <strong>
            <Visible text={tool} />
          </strong>{" "}
          <span class="id">{itemKey}</span>
        </a>
      ),
    },
    { title: "Risk", cell: ({ risk }) => <Word word={risk} /> },
    { title: "Effect", cell: ({ effect }) => <span class="word">{effect}</span> },
    { title: "Why it is asked", cell: ({ reason, rule }) => <Visible text={reason ?? rule ?? "–"} /> },
    {
      title: "Approved",
      cell: ({ approvals, quorum }) => `${approvals.length} of ${quorum}`,
      figures: true,
    },
    { title: "Time", cell: ({ expiresAt }) => <Left at={expiresAt} now={now} /> },
    { title: "Asked", cell: ({ askedAt }) => <Ago at={askedAt} now={now} /> },
    {
      title: "Run",
      cell: ({ run, labels }) => (
        <>
          <RunLink run={run} /> <Labels labels={labels} />
        </>
      ),
    },
  ];
}
