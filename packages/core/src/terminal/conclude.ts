// Takes everything that was read of one response, streamed or whole, gives the one reading of it; refuses to
// let anything of it count unless it ended normally.
import { isNormalEnd, type Adapter, type Outcome } from "../wire/index.ts";
import type { Accumulated } from "./accumulate.ts";
import { classify } from "./classify.ts";
import { responseFlags } from "./flags.ts";
import type { ResponseReaderOptions } from "./reader.ts";
import type { ResponseReading } from "./reading.ts";
import { messageText } from "./restated.ts";
import { settleItems } from "./settle-items.ts";
import { applyMeaning } from "./stop-sequence.ts";

export interface ReadResponse {
  readonly state: Accumulated;
  readonly transport: ResponseReading["transport"];
  readonly needsMarker: boolean;
}

export function conclude(
  adapter: Adapter,
  options: ResponseReaderOptions,
  { state, transport, needsMarker }: ReadResponse,
): ResponseReading {
  const { requestedMaxOutputTokens, maxArgumentBytes } = options;
  const { end } = transport;
  const classified = classify({ adapter, state, end, needsMarker, requestedMaxOutputTokens });
  const meant = applyMeaning(classified, state.finishes[0], options.stopSequences);
  const { outcome, stopSequence } = meant;
  const outputText = messageText([...state.items.values()].flatMap((item) => item.finished ?? []));
  const items = settleItems(state, outcome, maxArgumentBytes);
  return {
    responseId: state.responseId,
    raw: state.finishes[0]?.signal ?? null,
    outcome,
    errorClass: meant.errorClass,
    items,
    outputItems: replayedOutput(state, outcome),
    outputText,
    usage: state.usage,
    ...(stopSequence === undefined ? {} : { stopSequence }),
    ...responseFlags(items, outcome, outputText),
    ...providerWords(state),
    transport,
  };
}

/** What the provider said of the end, beside the signal. */
function providerWords({
  finishes,
  providerError,
}: Accumulated): Pick<ResponseReading, "nativeReason" | "errorCode" | "providerText"> {
  const nativeReason = finishes[0]?.nativeReason;
  const errorCode = providerError?.code ?? null;
  const providerText = providerError?.message ?? finishes[0]?.message ?? null;
  return {
    ...(nativeReason === undefined ? {} : { nativeReason }),
    ...(errorCode === null ? {} : { errorCode }),
    ...(providerText === null ? {} : { providerText }),
  };
}

function replayedOutput(state: Accumulated, outcome: Outcome): ResponseReading["outputItems"] {
  if (!isNormalEnd(outcome)) return [];
  const items = [...state.items.values()].map((item) => item.finished?.raw ?? null);
  return state.finishes[0]?.output ?? items.filter((raw) => raw !== null);
}
