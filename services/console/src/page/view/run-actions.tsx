/** @jsxRuntime automatic @jsxImportSource preact */
import type { RunDocument } from "@airlock/operator/document";
import { ACTIONS, isFinalRun, runStateSchema } from "@airlock/core/run";
import type { VNode } from "preact";
import { ActionForm, ReasonField } from "../part/form.tsx";
import type { Reader } from "../reader.ts";

interface RunActionsProps {
  readonly reader: Reader;
  readonly run: RunDocument;
  readonly requestedBy: string | null;
}

export interface RunAct {
  readonly act: "cancel" | "requeue" | "abandon";
  readonly title: string;
}

/** What this reader may do about the run as it stands. */
export function actsOf({ reader, run, requestedBy }: RunActionsProps): readonly RunAct[] {
  const state = runStateSchema.safeParse(run.state).data;
  if (state === undefined) return [];
  const all = reader.roles.has("operator");
  if (!isFinalRun(state)) {
    const own = reader.roles.has("submitter") && requestedBy === reader.name;
    return all || own ? [{ act: "cancel", title: "Cancel the run" }] : [];
  }
  const follows = (from: readonly string[]): boolean => all && from.includes(state);
  return [
    ...(follows(ACTIONS.requeue.from) ? [{ act: "requeue", title: "Let it go on" } as const] : []),
    ...(follows(ACTIONS.abandon.from) ? [{ act: "abandon", title: "Give it up" } as const] : []),
  ];
}

export function RunActions(props: RunActionsProps): VNode | null {
  const acts = actsOf(props);
  if (acts.length === 0) return null;
  return (
    <ActionForm
      reader={props.reader}
      action={`/runs/${encodeURIComponent(props.run.id)}`}
      label="What to do about it"
    >
      <ReasonField id="reason" required />
      <button type="submit" disabled hidden />
      <p class="buttons">
        {acts.map(({ act, title }) => (
          <button type="submit" name="act" value={act} class={act === "requeue" ? undefined : "deny"}>
            {title}
          </button>
        ))}
      </p>
    </ActionForm>
  );
}
