import { itemBodySchema, parseBody, responseBodySchema, type ResponseBody } from "@airlock/core/contract";
import { AirlockError } from "@airlock/core/fault";
import {
  itemKey,
  openSealed,
  sha256Hex,
  signedRecordSchema,
  verifyRecord,
  type AttemptParts,
  type TurnParts,
} from "@airlock/core/record";
import { readAttempt, readItem, readTurn } from "@airlock/core/run";
import { runKeys } from "@airlock/core/store";
import type { Deps } from "../deps.ts";

/** The text of the response's messages, each held against the signed record of its item. */
export async function outputText(deps: Deps, body: ResponseBody): Promise<string> {
  const keys = body.items
    .filter(({ kind }) => kind === "message")
    .map(({ ordinal }) => itemKey({ ...body, ordinal }));
  const texts = await Promise.all(keys.map((key) => messageText(deps, key)));
  return texts.join("");
}

async function messageText(deps: Deps, key: string): Promise<string> {
  const stored = await readItem(deps.redis, key);
  if (stored === null) throw new AirlockError("RECORD_INVALID", "a committed message has no record");
  const item = parseBody(itemBodySchema, verifyRecord(deps.keyring, "item", stored.record));
  if (itemKey(item) !== key || stored.content === null || sha256Hex(stored.content) !== item.contentDigest) {
    throw new AirlockError("RECORD_INVALID", "a message is not the one that was signed");
  }
  const place = runKeys(item.run).item(key);
  return openSealed(deps.keyring, { seal: "conversation", place }, stored.content);
}

/** What is kept of a cut text: no conversation may end in white space, so the rest begins before it. */
export function keptText(text: string): string {
  return text.trimEnd();
}

/** The response's text with the pieces that it continues, oldest first. */
export async function stitchedText(deps: Deps, body: ResponseBody): Promise<string> {
  const pieces = [await outputText(deps, body)];
  let turn = body.turn;
  while ((await readTurn(deps.redis, body.run, turn))?.stitched !== undefined) {
    turn -= 1;
    const earlier = await committedResponse(deps, { run: body.run, turn });
    const text = await outputText(deps, earlier);
    // a paused response is sent back as it is, a cut one without the white space at its end
    pieces.unshift(earlier.outcome.kind === "truncated" ? keptText(text) : text);
  }
  return pieces.join("");
}

/** The signed record of how the turn's current attempt ended. */
export async function committedResponse(deps: Deps, parts: TurnParts): Promise<ResponseBody> {
  const turn = await readTurn(deps.redis, parts.run, parts.turn);
  const body = await responseOf(deps, { ...parts, attempt: turn?.attempt ?? 0 });
  if (body === null) throw new AirlockError("RECORD_INVALID", "an output has no record");
  return body;
}

/** Null for an attempt that is not committed. */
export async function responseOf(deps: Deps, place: AttemptParts): Promise<ResponseBody | null> {
  const stored = await readAttempt(deps.redis, place);
  if (stored?.record === undefined) return null;
  const signed = signedRecordSchema.parse(JSON.parse(stored.record));
  const body = parseBody(responseBodySchema, verifyRecord(deps.keyring, "response", signed));
  if (body.run === place.run && body.turn === place.turn && body.attempt === place.attempt) return body;
  throw new AirlockError("RECORD_INVALID", "a response does not lie where it belongs");
}
