import type { ItemBody, RunEvent } from "@airlock/core/contract";
import { itemKey, sealBody, sha256Hex, type SealName } from "@airlock/core/record";
import { runKeys } from "@airlock/core/store";
import type { TerminalItem } from "@airlock/core/terminal";
import type { Deps } from "../deps.ts";

export interface DescribedItem {
  readonly body: ItemBody;
  /** sealed */
  readonly content: string | null;
}

/** An item that was told of before its response had ended. */
export interface EarlyItem extends DescribedItem {
  readonly item: TerminalItem;
  readonly adapter: string;
}

export type AttemptHead = Pick<ItemBody, "version" | "run" | "turn" | "attempt">;

/** The seal under which an item's content is kept; items of other kinds keep none. */
const SEAL_OF_KIND: Partial<Record<TerminalItem["kind"], SealName>> = {
  tool_call: "calls",
  message: "conversation",
};

/** The body that is signed for an item; what was told early of the same content is told again with the same seal. */
export function describeItem(
  deps: Pick<Deps, "keyring">,
  head: AttemptHead,
  { item, early }: { readonly item: TerminalItem; readonly early?: Partial<EarlyItem> | undefined },
): DescribedItem {
  const { ordinal, kind, callId, name, argumentsKind, bytes, state, errorClass, flags } = item;
  const seal = SEAL_OF_KIND[kind];
  const place = runKeys(head.run).item(itemKey({ ...head, ordinal }));
  const known = early?.item?.content === item.content ? early.content : undefined;
  const content =
    known ?? (seal === undefined ? null : sealBody(deps.keyring, { seal, place }, item.content));
  return {
    body: {
      ...head,
      ordinal,
      kind,
      callId: callId?.slice(0, 1_024) ?? null,
      name,
      argumentsKind,
      bytes,
      state,
      errorClass,
      contentDigest: content === null ? null : sha256Hex(content),
      ...(early?.adapter === undefined ? {} : { adapter: early.adapter }),
      ...(flags === undefined ? {} : { flags: [...flags] }),
    },
    content,
  };
}

export function terminalEvent(item: ItemBody): RunEvent {
  return {
    type: "item_state",
    itemKey: itemKey(item),
    state: item.state,
    tool: null, // the name is the model's own text until the validator knows it
    rule: null,
    errorClass: item.errorClass,
    bytes: item.bytes,
    ...(item.flags === undefined ? {} : { flags: item.flags }),
  };
}
