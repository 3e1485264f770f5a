/** @jsxRuntime automatic @jsxImportSource preact */
import type { ApprovalDocument } from "@airlock/operator/document";
import type { VNode } from "preact";
import { Argv } from "../part/argv.tsx";
import { Diff } from "../part/diff.tsx";
import { Facts } from "../part/facts.tsx";
import { hidesSomething, Visible } from "../part/visible.tsx";

type EvidenceDocument = ApprovalDocument["evidence"];

/** The most of the arguments that a page shows; beyond it there is the whole as a file. */
const MOST_CHARACTERS = 200_000;

interface EvidenceProps {
  readonly itemKey: string;
  readonly evidence: EvidenceDocument;
}

export function Evidence({ itemKey, evidence }: EvidenceProps): VNode {
  const { shown, claims, treeChanged, hosted } = evidence;
  const text = JSON.stringify(evidence.arguments, null, 2);
  return (
    <section>
      <h2>What would run</h2>
      {hosted !== undefined && <Hosted {...hosted} />}
      <div id="tree" data-fragment>
        {treeChanged === true && (
          <p class="warning" role="alert">
            The workspace has changed since this was asked: it may do something else now.
          </p>
        )}
      </div>
      {hidesSomething(text) && (
        <p class="warning" role="alert">
          It holds characters that don't show or that change how text reads. They are marked by their code.
        </p>
      )}
      {shown.kind === "argv" && <Argv argv={shown.argv} cwd={shown.cwd} />}
      {shown.kind === "diff" && <Changes {...shown} />}
      <details open={shown.kind === "json"}>
        <summary>Arguments as they were judged</summary>
        <pre class="json" tabindex={0} role="region" aria-label="Arguments">
          <Visible text={text.slice(0, MOST_CHARACTERS)} lines="kept" />
        </pre>
        {text.length > MOST_CHARACTERS && (
          <p class="warning">{text.length - MOST_CHARACTERS} more characters are not shown here.</p>
        )}
        <p class="quiet">
          <a href={`/approvals/${encodeURIComponent(itemKey)}/arguments`} download>
            The whole as a file
          </a>
          , with everything but ASCII escaped
        </p>
      </details>
      <Facts
        facts={{
          Reads: claims && <Paths paths={claims.reads} />,
          Writes: claims && <Paths paths={claims.writes} />,
          "Whole workspace": claims?.workspace,
          "Tree since it was asked": TREE[String(treeChanged)],
          "Arguments' digest": <code class="digest">{evidence.argumentsDigest}</code>,
          "Policy's digest": <code class="digest">{evidence.policyDigest}</code>,
        }}
      />
    </section>
  );
}

type ShownDiff = Extract<EvidenceDocument["shown"], { kind: "diff" }>;

/** It may come after the page: an executor looks when it has time. */
function Changes({ diff, tree }: ShownDiff): VNode {
  return (
    <div id="changes" data-fragment>
      <Held tree={tree} />
      <Diff text={diff} label="What it would change" />
    </div>
  );
}

/** Whether the diff was held against the files that there are, and what came of it. */
function Held({ tree }: Pick<ShownDiff, "tree">): VNode {
  if (tree === null) {
    return (
      <p class="quiet">No executor has held it against the run's files yet: it may replace what is there.</p>
    );
  }
  if (tree.refused !== null) {
    return (
      <p class="warning" role="alert">
        As the run's files stood at <time datetime={tree.seenAt}>{tree.seenAt}</time>, it would be refused:{" "}
        <Visible text={tree.refused} />
      </p>
    );
  }
  return (
    <p class="quiet">
      Against the run's files as they stood at <time datetime={tree.seenAt}>{tree.seenAt}</time>
      {tree.changed ? "; they may have changed since." : "."}
    </p>
  );
}

function Hosted({ server, name }: NonNullable<EvidenceDocument["hosted"]>): VNode {
  return (
    <p class="warning" role="alert" id="hosted">
      The model's provider runs this: tool <Visible text={name} /> of its server <Visible text={server} />.
      Airlock's sandbox and limits hold nothing there.
    </p>
  );
}

const TREE: Readonly<Record<string, string>> = {
  true: "changed",
  false: "unchanged",
  null: "nobody can say",
};

function Paths({ paths }: { readonly paths: readonly string[] }): VNode {
  if (paths.length === 0) return <>nothing by name</>;
  return (
    <ul class="paths">
      {paths.map((path) => (
        <li>
          <code>
            <Visible text={path} />
          </code>
        </li>
      ))}
    </ul>
  );
}
