import type { ItemBody, RunEvent } from "@airlock/core/contract";
import { itemKey, sealBody, sha256Hex, type SealName } from "@airlock/core/record";
import { runKeys } from "@airlock/core/store";
import type { TerminalItem } from "@airlock/core/terminal";
import type { Deps } from "../deps.ts";

export interface DescribedItem {
  readonly body: ItemBody;
  /** sealed */
  readonly content: string | null;
  /** the content lies there already, with its end in sight if it is set aside */
  readonly stored: boolean;
  /** the content goes when the run's retention says so */
  readonly aside: boolean;
}

/** How long content is kept that is set aside, and whether a cut text is, which the next turn may go on with. */
export interface Keeping {
  readonly rawMs: number;
  readonly keepsText: boolean;
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
  approval_request: "calls",
  message: "conversation",
};

/** The body that is signed for an item; what was told early of the same content is told again with the same seal. */
export function describeItem(
  deps: Pick<Deps, "keyring">,
  head: AttemptHead,
  {
    item,
    early,
    keeping,
    lastEvent = null,
  }: {
    readonly item: TerminalItem;
    readonly early?: Partial<EarlyItem> | undefined;
    readonly keeping: Keeping;
    readonly lastEvent?: ItemBody["lastEvent"];
  },
): DescribedItem {
  const { ordinal, kind, callId, name, argumentsKind, bytes, state, errorClass, flags, server } = item;
  const seal = SEAL_OF_KIND[kind];
  const place = runKeys(head.run).item(itemKey({ ...head, ordinal }));
  const known = early?.item?.content === item.content ? early.content : undefined;
  const aside = state === "QUARANTINED" && !(keeping.keepsText && kind === "message");
  const kept = seal !== undefined && !(aside && keeping.rawMs === 0);
  const content = known ?? (kept ? sealBody(deps.keyring, { seal, place }, item.content) : null);
  return {
    body: {
      ...head,
      ordinal,
      kind,
      callId: callId?.slice(0, 1_024) ?? null,
      name,
      ...(server === undefined ? {} : { server: server.slice(0, 256) }),
      argumentsKind,
      bytes,
      state,
      errorClass,
      contentDigest: content === null ? null : sha256Hex(content),
      ...(early?.adapter === undefined ? {} : { adapter: early.adapter }),
      ...(flags === undefined ? {} : { flags: [...flags] }),
      ...(state === "QUARANTINED" ? { lastEvent } : {}),
    },
    content,
    stored: known !== undefined,
    aside,
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
