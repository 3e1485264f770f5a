import { randomBytes } from "node:crypto";

/**
 * Names of everything in a run: `<run>`, `<run>.<turn>`, `<run>.<turn>.<attempt>` and
 * `<run>.<turn>.<attempt>.<ordinal>`. They hold no colon and are never plain integers, so each is a valid job id,
 * and they say nothing about content.
 */
export interface TurnParts {
  readonly run: string;
  readonly turn: number;
}
export interface AttemptParts extends TurnParts {
  readonly attempt: number;
}
export interface ItemParts extends AttemptParts {
  readonly ordinal: number;
}

/**
 * Ordinals of the calls that the validator makes itself, beside a response's own items: an item's record can't have one,
 * so neither can be taken for the other.
 */
export const OWN_ORDINALS = { check: 1_000_000, apply: 1_000_001 } as const;
export type OwnCall = keyof typeof OWN_ORDINALS;

/** The ordinals that a streamer may give. */
export const LAST_ITEM_ORDINAL = OWN_ORDINALS.check - 1;

const RUN_ID = /^r[0-9a-z]{20}$/;
const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";

/** 100 random bits: `r` and twenty letters or digits. */
export function newRunId(): string {
  return `r${Array.from(randomBytes(20), (byte) => ALPHABET.charAt(byte % 32)).join("")}`;
}

export function isRunId(text: string): boolean {
  return RUN_ID.test(text);
}

export function turnKey({ run, turn }: TurnParts): string {
  return `${run}.${turn}`;
}

export function attemptKey({ run, turn, attempt }: AttemptParts): string {
  return `${run}.${turn}.${attempt}`;
}

export function itemKey(parts: ItemParts): string {
  return `${attemptKey(parts)}.${parts.ordinal}`;
}

export function ownCallKey(attempt: AttemptParts, call: OwnCall): string {
  return itemKey({ ...attempt, ordinal: OWN_ORDINALS[call] });
}

/** Which of the validator's own calls a key names; null for an item of a response. */
export function ownCallOf(key: string): OwnCall | null {
  const ordinal = parseItemKey(key)?.ordinal;
  if (ordinal === OWN_ORDINALS.check) return "check";
  return ordinal === OWN_ORDINALS.apply ? "apply" : null;
}

/** The name of the one response record of an attempt. */
export function responseKey(parts: AttemptParts): string {
  return `${attemptKey(parts)}.end`;
}

export function parseTurnKey(text: string): TurnParts | null {
  const [run, turn, ...rest] = text.split(".");
  if (run === undefined || !isRunId(run) || rest.length > 0) return null;
  const number = parseCount(turn);
  return number === null ? null : { run, turn: number };
}

export function parseAttemptKey(text: string): AttemptParts | null {
  const cut = text.lastIndexOf(".");
  const turn = parseTurnKey(text.slice(0, Math.max(cut, 0)));
  const attempt = parseCount(text.slice(cut + 1));
  return turn === null || attempt === null ? null : { ...turn, attempt };
}

export function parseItemKey(text: string): ItemParts | null {
  const cut = text.lastIndexOf(".");
  const attempt = parseAttemptKey(text.slice(0, Math.max(cut, 0)));
  const ordinal = parseCount(text.slice(cut + 1));
  return attempt === null || ordinal === null ? null : { ...attempt, ordinal };
}

function parseCount(text: string | undefined): number | null {
  return text !== undefined && /^(0|[1-9][0-9]{0,8})$/.test(text) ? Number(text) : null;
}
