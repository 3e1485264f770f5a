/** @jsxRuntime automatic @jsxImportSource preact */
import type { ApprovalEntry } from "@airlock/operator/document";
import type { VNode } from "preact";
import { ActionForm, ReasonField } from "../part/form.tsx";
import type { Reader } from "../reader.ts";

interface AnswerFormProps {
  readonly reader: Reader;
  readonly entry: ApprovalEntry;
  /** of the question that the page shows: an answer to an older one is refused */
  readonly nonce: string;
  /** nobody approves what the page can't show */
  readonly mayApprove: boolean;
}

export function AnswerForm({ reader, entry, nonce, mayApprove }: AnswerFormProps): VNode | null {
  if (!reader.roles.has("approver")) return null;
  if (entry.requestedBy === reader.name) {
    return <p class="none">You submitted this run; somebody else has to answer.</p>;
  }
  if (entry.approvals.includes(reader.name)) {
    return <p class="none">You have approved it; somebody else has to as well.</p>;
  }
  return (
    <ActionForm reader={reader} action={`/approvals/${entry.itemKey}`} label="Answer">
      <input type="hidden" name="nonce" value={nonce} />
      <ReasonField id="reason" required={false} />
      {/* the first button is the one that Enter in a field presses, and this one can't be */}
      <button type="submit" disabled hidden />
      <p class="buttons">
        {mayApprove && (
          <button type="submit" name="answer" value="approve" class="approve" data-key="a">
            Approve <kbd>a</kbd>
          </button>
        )}
        <button type="submit" name="answer" value="deny" class="deny" data-key="d">
          Deny <kbd>d</kbd>
        </button>
      </p>
      <p class="quiet">
        A key moves to its button; <kbd>Enter</kbd> presses it. Enter in the reason sends nothing.
      </p>
    </ActionForm>
  );
}
