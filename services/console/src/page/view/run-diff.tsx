/** @jsxRuntime automatic @jsxImportSource preact */
import type { DiffDocument } from "@airlock/operator/document";
import type { VNode } from "preact";
import { Layout } from "../layout.tsx";
import { Diff } from "../part/diff.tsx";
import { bytes, Facts } from "../part/facts.tsx";
import { Table } from "../part/table.tsx";
import { Visible } from "../part/visible.tsx";
import type { Reader } from "../reader.ts";

export interface RunDiffProps {
  readonly reader: Reader;
  readonly document: DiffDocument;
}

export function RunDiff({ reader, document }: RunDiffProps): VNode {
  const { id, diff, why } = document;
  return (
    <Layout title={`Changes of run ${id}`} reader={reader} here="/runs">
      <p class="trail">
        <a href="/runs">Runs</a> ›{" "}
        <a class="id" href={`/runs/${encodeURIComponent(id)}`}>
          {id}
        </a>{" "}
        › changes
      </p>
      <h1>What the run changed</h1>
      {why !== null && (
        <p class="none">
          <Visible text={why} />
        </p>
      )}
      {diff !== null && <Changes diff={diff} />}
    </Layout>
  );
}

function Changes({ diff }: { readonly diff: NonNullable<DiffDocument["diff"]> }): VNode {
  return (
    <>
      <Facts
        facts={{
          Base: diff.baseRevision && <code class="digest">{diff.baseRevision}</code>,
          Branch: diff.branch && <Visible text={diff.branch} />,
          Size: bytes(diff.textBytes),
          "Kept out by ignore rules": diff.ignoredTotal === 0 ? null : diff.ignoredTotal,
          Problems: diff.problems.length === 0 ? null : <Visible text={diff.problems.join("; ")} />,
        }}
      />
      <Table
        caption={`${diff.filesTotal} files`}
        none="It changed no file."
        rows={diff.files}
        columns={[
          {
            title: "File",
            cell: ({ path }) => (
              <code>
                <Visible text={path} />
              </code>
            ),
          },
          { title: "Added", cell: ({ added }) => added ?? "binary", figures: true },
          { title: "Removed", cell: ({ deleted }) => deleted ?? "binary", figures: true },
        ]}
      />
      {diff.text !== "" && <Diff text={diff.text} label="The changes" />}
    </>
  );
}
