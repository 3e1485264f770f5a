/** @jsxRuntime automatic @jsxImportSource preact */
import type { ComponentChildren, VNode } from "preact";
import type { Reader } from "../reader.ts";

export function CsrfField({ reader }: { readonly reader: Reader }): VNode {
  return <input type="hidden" name="csrf" value={reader.csrf} />;
}

interface ActionFormProps {
  readonly reader: Reader;
  readonly action: string;
  /** of the form, as it is read out */
  readonly label: string;
  readonly children: ComponentChildren;
}

export function ActionForm({ reader, action, label, children }: ActionFormProps): VNode {
  return (
    <form class="action" method="post" action={action} aria-label={label}>
      <CsrfField reader={reader} />
      {children}
    </form>
  );
}

/** Every action has a reason: it stands in the audit. */
export function ReasonField({ id, required }: { readonly id: string; readonly required: boolean }): VNode {
  return (
    <p class="field">
      <label for={id}>Reason{required ? "" : " (needed to deny)"}</label>
      <input id={id} name="reason" type="text" maxlength={500} required={required} autocomplete="off" />
    </p>
  );
}
