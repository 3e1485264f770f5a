/** @jsxRuntime automatic @jsxImportSource preact */
import type { RunDocument } from "@airlock/operator/document";
import type { VNode } from "preact";
import { Diff } from "../part/diff.tsx";
import { Visible } from "../part/visible.tsx";

/** What a screen can show of an artifact; the API has the whole. */
const MOST_CHARACTERS = 200_000;

/** The artifact, or what a run left that ended short of one. Model text: it is shown, never interpreted. */
export function RunOutput({ run: { id, artifact, partial } }: { readonly run: RunDocument }): VNode {
  return (
    <section>
      <h2>Output</h2>
      {artifact === null && partial === null && <p class="none">There is none yet.</p>}
      {artifact !== null && artifact.kind === "patch" && <Diff text={artifact.content} label="The patch" />}
      {artifact !== null && artifact.kind !== "patch" && (
        <Text label={artifact.kind} text={artifact.content} />
      )}
      {partial !== null && (
        <>
          <p class="warning">It ended short of its artifact; what follows is no result.</p>
          {partial.text !== null && <Text label="Its last text" text={partial.text} />}
          {partial.textGone && <p class="none">Its last text is not kept any more.</p>}
        </>
      )}
      <p>
        <a href={`/runs/${encodeURIComponent(id)}/diff`}>What it changed in its workspace</a>
      </p>
    </section>
  );
}

function Text({ label, text }: { readonly label: string; readonly text: string }): VNode {
  const rest = text.length - MOST_CHARACTERS;
  return (
    <>
      <pre class="text" tabindex={0} role="region" aria-label={label}>
        <Visible text={text.slice(0, MOST_CHARACTERS)} lines="kept" />
      </pre>
      {rest > 0 && <p class="warning">{rest} more characters are not shown here.</p>}
    </>
  );
}
