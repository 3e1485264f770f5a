/** @jsxRuntime automatic @jsxImportSource preact */
import type { LedgerDocument, UnknownPage } from "@airlock/operator/document";
import type { VNode } from "preact";
import { Layout } from "../layout.tsx";
import { State } from "../part/badge.tsx";
import { Facts, RunLink } from "../part/facts.tsx";
import { ActionForm, ReasonField } from "../part/form.tsx";
import { NextPage } from "../part/next-page.tsx";
import { Ago } from "../part/time.tsx";
import { Visible } from "../part/visible.tsx";
import type { Reader } from "../reader.ts";

export interface UnknownProps {
  readonly reader: Reader;
  readonly page: UnknownPage;
  /** where the page hears that it is out of date; null for all but the first */
  readonly live: string | null;
}

export function Unknown({ reader, page, live }: UnknownProps): VNode {
  const { calls, next } = page;
  const count = live === null ? "" : ` (${calls.length}${next === null ? "" : "+"})`;
  return (
    <Layout title={`Unknown outcomes${count}`} reader={reader} here="/unknown" live={live}>
      <h1>Unknown outcomes</h1>
      <p class="quiet">
        Calls that were begun and whose end nobody saw. What a probe can't find out, a person has to: look at
        what the call was about to change, then say what you found.
      </p>
      {calls.length === 0 && (
        <p class="none">
          {next === null
            ? "The end of every call is known."
            : "The end of those that were looked at is known."}
        </p>
      )}
      {calls.map((call) => (
        <Call reader={reader} call={call} />
      ))}
      <NextPage path="/unknown" cursor={next} text="Later ones" />
    </Layout>
  );
}

function Call({ reader, call }: { readonly reader: Reader; readonly call: LedgerDocument }): VNode {
  const { itemKey, tool, state, effect, owner, startedAt, unknownAt, probe, sandbox } = call;
  return (
    <section class="card">
      <h2>
        <Visible text={tool} /> <State state={state} />
      </h2>
      <Facts
        facts={{
          Call: <span class="id">{itemKey}</span>,
          Run: <RunLink run={itemKey.split(".")[0] ?? ""} />,
          Effect: effect,
          "Held by": <Visible text={owner} />,
          Sandbox: sandbox && <Visible text={sandbox} />,
          Started: startedAt && <Ago at={startedAt} now={reader.now} />,
          "Unknown since": unknownAt && <Ago at={unknownAt} now={reader.now} />,
          Probe: probe ? "there is something to hold it against" : "there is nothing to hold it against",
        }}
      />
      {reader.roles.has("operator") && state === "NEEDS_HUMAN" && (
        <ActionForm reader={reader} action={`/unknown/${itemKey}`} label={`What became of ${itemKey}`}>
          <fieldset>
            <legend>What you found</legend>
            <label>
              <input type="radio" name="finding" value="executed" required /> it ran to its end
            </label>
            <label>
              <input type="radio" name="finding" value="not_executed" /> it changed nothing
            </label>
          </fieldset>
          <ReasonField id={`reason-${itemKey}`} required />
          <p class="buttons">
            <button type="submit">Resolve</button>
          </p>
        </ActionForm>
      )}
    </section>
  );
}
