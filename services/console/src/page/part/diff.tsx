/** @jsxRuntime automatic @jsxImportSource preact */
import type { VNode } from "preact";
import { diffLines } from "./diff-lines.ts";
import { Visible } from "./visible.tsx";

/** What a screen can show; the rest is counted, and the approval says so beside its buttons. */
const MOST_LINES = 5_000;

export function Diff({ text, label }: { readonly text: string; readonly label: string }): VNode {
  const lines = diffLines(text);
  const rest = lines.length - MOST_LINES;
  return (
    <>
      <pre class="diff" tabindex={0} role="region" aria-label={label}>
        {lines.slice(0, MOST_LINES).map(({ kind, text: line }) => (
          <span class={`line ${kind}`}>
            <Visible text={line} lines="kept" />
            {"\n"}
          </span>
        ))}
      </pre>
      {rest > 0 && <p class="warning">{rest} more lines are not shown here.</p>}
    </>
  );
}
