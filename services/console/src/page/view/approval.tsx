/** @jsxRuntime automatic @jsxImportSource preact */
// A call that waits, with its evidence, in; what an approver needs to decide out. A viewer gets the entry and no more.
import type { ApprovalDocument, ApprovalEntry } from "@airlock/operator/document";
import type { VNode } from "preact";
import { Layout } from "../layout.tsx";
import { State, Word } from "../part/badge.tsx";
import { Facts, Labels, RunLink } from "../part/facts.tsx";
import { Table } from "../part/table.tsx";
import { Ago, Left } from "../part/time.tsx";
import { Visible } from "../part/visible.tsx";
import type { Reader } from "../reader.ts";
import { AnswerForm } from "./answer-form.tsx";
import { Evidence } from "./evidence.tsx";

export interface ApprovalProps {
  readonly reader: Reader;
  readonly entry: ApprovalEntry;
  /** null for those who may not see arguments */
  readonly evidence: ApprovalDocument["evidence"] | null;
  /** null for those who may not answer */
  readonly nonce: string | null;
  /** why there is no evidence, or why an answer was not taken */
  readonly fault: string | null;
  /** where the page hears that it is out of date */
  readonly live: string;
}

export function Approval({ reader, entry, evidence, nonce, fault, live }: ApprovalProps): VNode {
  return (
    <Layout title={`Approve ${entry.tool}?`} reader={reader} here="/approvals" live={live}>
      <p class="trail">
        <a href="/approvals">Approvals</a> › <span class="id">{entry.itemKey}</span>
      </p>
      <h1>
        <Visible text={entry.tool} /> <Word word={entry.risk} />
      </h1>
      <p class="lead">
        <Visible text={entry.reason ?? "Policy asks a person."} />
      </p>
      <div id="quorum" data-fragment>
        <Quorum reader={reader} entry={entry} />
      </div>
      {fault !== null && (
        <p class="warning" role="alert">
          <Visible text={fault} />
        </p>
      )}
      {evidence !== null && <Evidence itemKey={entry.itemKey} evidence={evidence} />}
      {nonce !== null && (
        <AnswerForm reader={reader} entry={entry} nonce={nonce} mayApprove={evidence !== null} />
      )}
      {evidence !== null && <Siblings siblings={evidence.siblings} />}
      {evidence === null && fault === null && (
        <p class="none">What it would do is shown to approvers, and only they can answer.</p>
      )}
    </Layout>
  );
}

function Quorum({ reader, entry }: Pick<ApprovalProps, "reader" | "entry">): VNode {
  const { approvals, quorum, effect, rule, run, labels, requestedBy, askedAt, expiresAt } = entry;
  return (
    <Facts
      facts={{
        Time: <Left at={expiresAt} now={reader.now} />,
        Approved: (
          <>
            {approvals.length} of {quorum}
            {approvals.map((name) => (
              <>
                {" · "}
                <Visible text={name} />
              </>
            ))}
          </>
        ),
        Effect: effect,
        Rule: rule && <Visible text={rule} />,
        Run: <RunLink run={run} />,
        "Submitted by": <Visible text={requestedBy} />,
        Labels: Object.keys(labels).length === 0 ? null : <Labels labels={labels} />,
        Asked: <Ago at={askedAt} now={reader.now} />,
      }}
    />
  );
}

function Siblings({ siblings }: Pick<ApprovalDocument["evidence"], "siblings">): VNode {
  return (
    <section>
      <h2>Other calls of this turn</h2>
      <Table
        caption="Their own decisions don't hang on this one"
        none="It is the only one."
        rows={siblings}
        columns={[
          { title: "Tool", cell: ({ tool }) => <Visible text={tool} /> },
          { title: "State", cell: ({ state }) => <State state={state} /> },
          { title: "Call", cell: ({ itemKey }) => <span class="id">{itemKey}</span> },
        ]}
      />
    </section>
  );
}
