// Takes the reading of a response, gives a committed attempt: its signed records, its sealed contents, and its output
// in the conversation where the outcome lets that go on; all in one step, and only while the attempt is current.
import {
  count,
  type ItemBody,
  type ResponseBody,
  type RunEvent,
  type TurnBody,
} from "@airlock/core/contract";
import { attemptKey, itemKey, type SignedRecord } from "@airlock/core/record";
import { sealPiece, sealProviderText, sealRaw, sealRecording } from "@airlock/core/run";
import { ADAPTERS, formatRawSignal, isNormalEnd } from "@airlock/core/wire";
import type { Deps } from "../deps.ts";
import type { StreamedResponse } from "../request/stream-response.ts";
import {
  describeItem,
  terminalEvent,
  type DescribedItem,
  type EarlyItem,
  type Keeping,
} from "./describe-item.ts";

export type FinishedResponse = StreamedResponse & {
  readonly durationMs: number;
  /** the bytes as the route sent them, where they were few enough */
  readonly bytes: Uint8Array | null;
  readonly kept: KeptOutput;
  readonly early: ReadonlyMap<number, EarlyItem>;
};

/** What is kept of a response besides its items. */
export interface KeptOutput extends Keeping {
  /** its bytes, whatever they say: of contract runs */
  readonly records: boolean;
}

/** How an attempt ended, in the form in which it is signed. */
export interface Ended {
  readonly response: ResponseBody;
  readonly items: readonly DescribedItem[];
  readonly pieces: readonly string[];
  /** sealed */
  readonly recording: string | null;
  /** sealed */
  readonly providerText: string | null;
  /** sealed: the bytes of a response that did not end well */
  readonly raw: string | null;
}

export function describeAttempt(deps: Deps, turn: TurnBody, streamed: FinishedResponse): Ended {
  const { reading, lastEvents, httpStatus, errorCode, retryAfterMs, durationMs, early } = streamed;
  const { run, turn: number, attempt } = turn;
  const route = deps.routes.get(turn.route);
  const family = route?.family ?? "responses";
  const head = { version: 1, run, turn: number, attempt } as const;
  const offered = new Set(turn.tools.map(({ name }) => name));
  const items = reading.items.map((item) => {
    // a name that was not offered is the model's own text, and queue jobs hold none
    const name = item.name !== null && offered.has(item.name) ? item.name : null;
    return describeItem(deps, head, {
      item: { ...item, name },
      early: early.get(item.ordinal),
      keeping: streamed.kept,
      lastEvent: lastEvents?.items.get(item.ordinal) ?? null,
    });
  });
  const output = {
    type: "model_output",
    family,
    attempt: attemptKey(turn),
    items: [...reading.outputItems],
  } as const;
  return {
    response: {
      ...head,
      adapter: ADAPTERS[family].version,
      responseId: reading.responseId?.slice(0, 1_024) ?? null,
      raw: reading.raw === null ? null : formatRawSignal(reading.raw).slice(0, 256),
      outcome: reading.outcome,
      errorClass: reading.errorClass,
      ...(reading.flags === undefined ? {} : { flags: [...reading.flags] }),
      ...(reading.nativeReason === undefined ? {} : { nativeReason: reading.nativeReason.slice(0, 256) }),
      stopSequence: reading.stopSequence ?? null,
      items: reading.items.map(({ ordinal, kind }) => ({ ordinal, kind })),
      inputTokens: countable(reading.usage?.inputTokens),
      outputTokens: countable(reading.usage?.outputTokens),
      httpStatus,
      errorCode,
      transport: { ...reading.transport, lastEvent: lastEvents?.response ?? null },
      durationMs,
      retryAfterMs,
    },
    items,
    pieces: isNormalEnd(reading.outcome)
      ? [sealPiece(deps.keyring, { run, turn: number, phase: "out" }, [output])]
      : [],
    providerText: sealProviderText(deps.keyring, turn, reading.providerText ?? null),
    ...keptBytes(deps, turn, streamed),
  };
}

function keptBytes(
  deps: Deps,
  turn: TurnBody,
  { reading, bytes, kept }: FinishedResponse,
): Pick<Ended, "recording" | "raw"> {
  const aside = bytes !== null && kept.rawMs > 0 && !isNormalEnd(reading.outcome);
  return {
    recording: bytes !== null && kept.records ? sealRecording(deps.keyring, turn, bytes) : null,
    // a keyring made before there was this seal lacks it: then nothing is kept
    raw: aside && deps.keyring.seals.raw !== undefined ? sealRaw(deps.keyring, turn, bytes) : null,
  };
}

/** A provider may report any number; one that no record can hold is none. */
function countable(tokens: number | null | undefined): number | null {
  return count.safeParse(tokens).data ?? null;
}

/**
 * Commits the item records and the one response record, and returns the latter, which names the items and leads to all
 * that follows. Null where the attempt was not current.
 */
export async function commitAttempt(
  deps: Deps,
  { response, items, pieces, recording, providerText, raw }: Ended,
  owner: string | null,
): Promise<SignedRecord | null> {
  const signed = items.map(({ body, content, stored, aside }) => ({
    itemKey: itemKey(body),
    content: stored ? null : content,
    aside,
    record: deps.publisher.sign({ purpose: "item", body }),
  }));
  const end = deps.publisher.sign({ purpose: "response", body: response });
  const answer = await deps.store.commit(response, {
    owner,
    fields: {
      record: JSON.stringify(end),
      responseId: response.responseId,
      raw: response.raw,
      outcome: response.outcome.kind,
      errorClass: response.errorClass,
      recording,
      providerText,
    },
    pieces,
    raw,
    items: signed.map((item) => ({ ...item, record: JSON.stringify(item.record) })),
    events: committedEvents(
      response,
      items.map(({ body }) => body),
    ),
  });
  return answer === "committed" ? end : null;
}

function committedEvents(response: ResponseBody, items: readonly ItemBody[]): readonly RunEvent[] {
  const { turn, attempt, raw, outcome, errorClass, flags } = response;
  const ended = { turn, attempt, raw, outcome: outcome.kind, errorClass, items: items.length };
  return [
    ...items
      .filter(
        ({ kind, adapter, state }) =>
          kind === "tool_call" && !(adapter !== undefined && state === "ITEM_TERMINAL"),
      )
      .map(terminalEvent),
    { type: "attempt_committed", ...ended, ...(flags === undefined ? {} : { flags }) },
  ];
}
