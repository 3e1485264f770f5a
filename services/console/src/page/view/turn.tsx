/** @jsxRuntime automatic @jsxImportSource preact */
import type { CallDocument, RunDocument } from "@airlock/operator/document";
import type { VNode } from "preact";
import { State } from "../part/badge.tsx";
import { bytes } from "../part/facts.tsx";
import { Table, type Column } from "../part/table.tsx";
import { span } from "../part/time.tsx";
import { Visible } from "../part/visible.tsx";
import type { Step, Story } from "../steps.ts";

type TurnDocument = RunDocument["turns"][number];
type AttemptDocument = TurnDocument["attempts"][number];

export function Turn({ turn, story }: { readonly turn: TurnDocument; readonly story: Story }): VNode {
  return (
    <section class="turn" aria-label={`Turn ${turn.number}`}>
      <h2>Turn {turn.number}</h2>
      <ul class="attempts">
        {turn.attempts.map((attempt) => (
          <Attempt attempt={attempt} />
        ))}
      </ul>
      {turn.calls.length > 0 && (
        <Table caption="Calls" none="" rows={turn.calls} columns={columns(story)} walk />
      )}
    </section>
  );
}

function Attempt({ attempt }: { readonly attempt: AttemptDocument }): VNode {
  const { number, raw, outcome, errorClass, errorCode, nativeReason, flags } = attempt;
  const rest = [errorClass, errorCode, nativeReason, ...flags].filter((each) => each !== null);
  return (
    <li>
      <span class="quiet">attempt {number}</span>{" "}
      {outcome === null ? <span class="quiet">streaming</span> : <strong>{outcome}</strong>}
      {raw !== null && (
        <span class="quiet">
          {" "}
          from{" "}
          <code>
            <Visible text={raw} />
          </code>
        </span>
      )}
      {rest.length > 0 && (
        <>
          {" "}
          <Visible text={rest.join(" · ")} />
        </>
      )}
    </li>
  );
}

function columns({ steps }: Story): readonly Column<CallDocument>[] {
  return [
    { title: "Tool", cell: (call) => <Call call={call} /> },
    { title: "State", cell: ({ state }) => <State state={state} /> },
    { title: "Went through", cell: ({ itemKey }) => <Steps steps={steps.get(itemKey) ?? []} /> },
    {
      title: "Decision",
      cell: ({ decision, rules }) =>
        decision && (
          <>
            {decision}{" "}
            <span class="quiet">
              <Visible text={rules.join(", ")} />
            </span>
          </>
        ),
    },
    { title: "Fault", cell: (call) => <Faults call={call} /> },
    { title: "Result", cell: ({ resultBytes }) => bytes(resultBytes), figures: true },
  ];
}

function Call({ call }: { readonly call: CallDocument }): VNode {
  const { tool, itemKey, state } = call;
  const name = (
    <strong>
      <Visible text={tool} />
    </strong>
  );
  const place = `.${itemKey.split(".").slice(1).join(".")}`;
  const link = LINKS.get(state)?.(itemKey);
  return (
    <span id={itemKey}>
      {link === undefined ? name : <a href={link}>{name}</a>} <span class="id">{place}</span>
    </span>
  );
}

/** Where a call is that waits for somebody. */
const LINKS: ReadonlyMap<string, (itemKey: string) => string> = new Map([
  ["AWAITING_APPROVAL", (itemKey: string) => `/approvals/${encodeURIComponent(itemKey)}`],
  ["NEEDS_HUMAN", () => "/unknown"],
  ["OUTCOME_UNKNOWN", () => "/unknown"],
  ["RECONCILING", () => "/unknown"],
]);

function Faults({ call: { errorClass, flags, found } }: { readonly call: CallDocument }): VNode {
  const seen = found === null ? [] : [`found ${found.finding} by ${found.by}`];
  return (
    <>
      {errorClass !== null && <code class="fault">{errorClass}</code>}{" "}
      <Visible text={[...flags, ...seen].join(" · ")} />
    </>
  );
}

function Steps({ steps }: { readonly steps: readonly Step[] }): VNode {
  const first = Date.parse(steps[0]?.at ?? "");
  return (
    <ol class="steps">
      {steps.map(({ state, at }, index) => (
        <li title={at}>
          {state.toLowerCase()}
          {index > 0 && <span class="quiet"> +{after(Date.parse(at) - first)}</span>}
        </li>
      ))}
    </ol>
  );
}

function after(milliseconds: number): string {
  return milliseconds < 1_000 ? `${milliseconds} ms` : span(milliseconds);
}
