import { z } from "zod";
import { AirlockError } from "../fault/index.ts";
import { openSealed, sealBody, type Keyring } from "../record/index.ts";
import { runKeys, type Redis } from "../store/index.ts";
import { conversationEntrySchema, type ConversationEntry } from "../wire/index.ts";

/** The order within a turn: what the validator put in, what the model gave out, what became of its calls. */
const PHASES = ["in", "out", "results"] as const;

/** Where a piece of conversation belongs. Each piece is written once and sealed for its place. */
export interface PiecePlace {
  readonly run: string;
  readonly turn: number;
  readonly phase: (typeof PHASES)[number];
}

const entries = z.array(conversationEntrySchema);

/** One element of the `:conversation` list: `<turn>.<phase> <sealed entries>`. */
export function sealPiece(keyring: Keyring, place: PiecePlace, piece: readonly ConversationEntry[]): string {
  const label = `${place.turn}.${place.phase}`;
  const sealed = sealBody(keyring, sealPlace(place.run, label), JSON.stringify(piece));
  return `${pieceStart(place.turn, place.phase)}${sealed}`;
}

/** How the element of a turn's phase begins. */
export function pieceStart(turn: number, phase: PiecePlace["phase"]): string {
  return `${turn}.${phase} `;
}

/** Gives what a piece at a place says: as it was opened before, or by opening it. */
export type PieceOpener = (
  place: string,
  piece: string,
  open: () => readonly ConversationEntry[],
) => readonly ConversationEntry[];

/**
 * Remembers what was opened lately with the keys of this process, up to so many letters of sealed text: the same text at
 * the same place says the same each time, so that a turn opens only what was said since the last one.
 */
export function rememberPieces(maxLetters: number): PieceOpener {
  const pieces = new Map<string, { readonly piece: string; readonly opened: readonly ConversationEntry[] }>();
  let letters = 0;
  return (place, piece, open) => {
    const known = pieces.get(place);
    if (known?.piece === piece) return known.opened;
    const opened = open();
    pieces.set(place, { piece, opened });
    letters += piece.length - (known?.piece.length ?? 0);
    for (const [oldest, { piece: dropped }] of pieces) {
      if (letters <= maxLetters) break;
      pieces.delete(oldest);
      letters -= dropped.length;
    }
    return opened;
  };
}

/**
 * Reads a whole conversation. Throws SEAL_INVALID where a piece was edited, moved, repeated or put out of order.
 */
export async function readConversation(
  deps: { readonly redis: Redis; readonly keyring: Keyring; readonly pieceOpener?: PieceOpener },
  run: string,
): Promise<readonly ConversationEntry[]> {
  const pieces = await deps.redis.lrange(runKeys(run).conversation, 0, -1);
  let last = -1;
  return pieces.flatMap((piece) => {
    const cut = piece.indexOf(" ");
    const label = piece.slice(0, Math.max(cut, 0));
    const order = orderOf(label);
    if (order <= last) throw new AirlockError("SEAL_INVALID", `the conversation of ${run} is out of order`);
    last = order;
    const place = sealPlace(run, label);
    const open = (): readonly ConversationEntry[] =>
      entries.parse(JSON.parse(openSealed(deps.keyring, place, piece.slice(cut + 1))));
    return deps.pieceOpener === undefined ? open() : deps.pieceOpener(place.place, piece, open);
  });
}

function sealPlace(run: string, label: string): { seal: "conversation"; place: string } {
  return { seal: "conversation", place: `${runKeys(run).conversation}#${label}` };
}

function orderOf(label: string): number {
  const [turn, phase] = label.split(".");
  const rank = PHASES.findIndex((known) => known === phase);
  return rank < 0 ? -1 : Number(turn) * PHASES.length + rank;
}
