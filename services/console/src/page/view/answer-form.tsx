/** @jsxRuntime automatic @jsxImportSource preact */
import type { ApprovalDocument, ApprovalEntry } from "@airlock/operator/document";
import type { VNode } from "preact";
import { ActionForm, ReasonField } from "../part/form.tsx";
import type { Reader } from "../reader.ts";

interface AnswerFormProps {
  readonly reader: Reader;
  readonly entry: ApprovalEntry;
  readonly evidence: ApprovalDocument["evidence"];
}

/** The nonce is that of the question which the page shows: an answer to an older one is refused. */
export function AnswerForm({ reader, entry, evidence }: AnswerFormProps): VNode | null {
  if (!reader.roles.has("approver")) return null;
  if (entry.requestedBy === reader.name) {
    return <p class="none">You submitted this run; somebody else has to answer.</p>;
  }
  if (entry.approvals.includes(reader.name)) {
    return <p class="none">You have approved it; somebody else has to as well.</p>;
  }
  return (
    <ActionForm reader={reader} action={`/approvals/${entry.itemKey}`} label="Answer">
      <input type="hidden" name="nonce" value={evidence.nonce} />
      <ReasonField id="reason" required={false} />
      <p class="buttons">
        <button type="submit" name="answer" value="approve" class="approve" data-key="a">
          Approve <kbd>a</kbd>
        </button>
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
