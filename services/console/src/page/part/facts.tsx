/** @jsxRuntime automatic @jsxImportSource preact */
import type { ComponentChild, VNode } from "preact";
import { Visible } from "./visible.tsx";

/** Names and what holds of them; what is null is left out. */
export function Facts({ facts }: { readonly facts: Readonly<Record<string, ComponentChild>> }): VNode {
  return (
    <dl class="facts">
      {Object.entries(facts).map(([name, value]) =>
        value === null || value === undefined ? null : (
          <div>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ),
      )}
    </dl>
  );
}

export function Labels({ labels }: { readonly labels: Readonly<Record<string, string>> }): VNode | null {
  const entries = Object.entries(labels);
  if (entries.length === 0) return null;
  return (
    <span class="labels">
      {entries.map(([name, value]) => (
        <span class="label">
          <Visible text={name} />=<Visible text={value} />
        </span>
      ))}
    </span>
  );
}

export function bytes(count: number | null): string {
  if (count === null) return "–";
  if (count < 1_024) return `${count} B`;
  return count < 1_048_576 ? `${(count / 1_024).toFixed(1)} KiB` : `${(count / 1_048_576).toFixed(1)} MiB`;
}

/** The identifiers are opaque and long: their end tells them apart. */
export function RunLink({ run }: { readonly run: string }): VNode {
  return (
    <a class="id" href={`/runs/${encodeURIComponent(run)}`}>
      {run}
    </a>
  );
}
