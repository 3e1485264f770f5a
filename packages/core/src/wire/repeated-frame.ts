// Takes one frame that was read in full, gives a reader for the frames after it that say the same but for the named
// members; refuses every other frame, which has to be read in full. Nearly all frames of a long stream are repetitions.
import { closingQuote, isJsonArray } from "../json/index.ts";
import { parseFrameJson } from "./frame.ts";
import { findTemplate, type RepeatedMembers, type Template } from "./frame-template.ts";
import type { Blocks } from "./sse-blocks.ts";
import type { SseMessage } from "./sse.ts";

/** What a number of frames bring that follow each other. */
export interface Repetition<Meaning> {
  /** What the learned frame meant, and so each of these. */
  readonly meaning: Meaning;
  readonly frames: number;
  /** The pieces of all, joined. */
  readonly piece: string;
  /** The last one's; null where they have none. */
  readonly counter: number | null;
}

export interface FrameRepeats<Meaning> {
  /**
   * Reads the blocks that are the learned frame with other members and whose counters never fall, from `leastCounter`
   * on; null where none stands there, and then nothing was read.
   */
  read(blocks: Blocks, leastCounter?: number): Repetition<Meaning> | null;
  /** The frame to compare with from now on. */
  learn(message: SseMessage, members: RepeatedMembers, meaning: Meaning): void;
}

/** Looking for holes costs more than reading a frame: it has to pay. */
const FREE_LESSONS = 16;
const HITS_PER_LESSON = 8;

/** So many are read at once, and at most so many in vain. */
const MAX_FRAMES = 128;

export function createFrameRepeats<Meaning>(): FrameRepeats<Meaning> {
  let learned: { readonly template: Template; readonly meaning: Meaning } | null = null;
  let lessons = 0;
  let hits = 0;
  return {
    read(blocks, leastCounter = 0) {
      if (learned === null) return null;
      const found = findFrames(learned.template, blocks, leastCounter);
      if (found.pieces.length === 0) return null;
      const texts = readTexts(found.pieces, blocks);
      if (texts === null || readTexts(found.paddings, blocks) === null) {
        // One of them is no JSON. Which one, those say who read each in full.
        learned = null;
        return null;
      }
      hits += texts.length;
      blocks.at = found.end;
      return {
        meaning: learned.meaning,
        frames: texts.length,
        piece: texts.join(""),
        counter: found.counter,
      };
    },
    learn(message, members, meaning) {
      if (lessons > FREE_LESSONS && hits < lessons * HITS_PER_LESSON) return;
      lessons += 1;
      const template = findTemplate(message, members);
      learned = template === null ? null : { template, meaning };
    },
  };
}

interface Found {
  readonly pieces: string[];
  readonly paddings: string[];
  counter: number | null;
  end: number;
}

function findFrames(template: Template, { bytes, at }: Blocks, leastCounter: number): Found {
  const found: Found = { pieces: [], paddings: [], counter: null, end: at };
  const holes: Holes = { piece: "", padding: null, counter: null };
  while (found.pieces.length < MAX_FRAMES) {
    const end = matchBlock(template, { bytes, at: found.end }, holes);
    if (end === -1 || (holes.counter !== null && holes.counter < (found.counter ?? leastCounter))) break;
    found.pieces.push(holes.piece);
    if (holes.padding !== null) found.paddings.push(holes.padding);
    found.counter = holes.counter;
    found.end = end;
  }
  return found;
}

interface Holes {
  piece: string;
  padding: string | null;
  counter: number | null;
}

/** Where the block ends that stands there; -1 where its literals are not the template's, or a hole holds no value. */
function matchBlock(
  { literals, roles }: Template,
  { bytes, at }: Pick<Blocks, "bytes" | "at">,
  holes: Holes,
): number {
  let from = passLiteral(bytes, at, literals[0]);
  for (let hole = 0; hole < roles.length && from !== -1; hole += 1) {
    const role = roles[hole];
    const to = role === "counter" ? endOfCount(bytes, from) : closingQuote(bytes, from);
    if (to === -1) return -1;
    const value = bytes.slice(from, to);
    if (role === "counter") holes.counter = Number(value);
    else if (role === "padding") holes.padding = value;
    else holes.piece = value;
    from = passLiteral(bytes, to, literals[hole + 1]);
  }
  return from;
}

/** Slices are compared at once; `startsWith` goes by letters, and costs more than all the rest. */
function passLiteral(bytes: string, from: number, literal = ""): number {
  const to = from + literal.length;
  return bytes.slice(from, to) === literal ? to : -1;
}

/** A whole number that is exact however it is read. */
const COUNT = /(?:0|[1-9]\d{0,14})(?!\d)/y;

function endOfCount(bytes: string, from: number): number {
  COUNT.lastIndex = from;
  return COUNT.test(bytes) ? COUNT.lastIndex : -1;
}

/**
 * The JSON strings between quotes of which none is escaped and before which none stands that is not: so the texts are
 * told apart as if each were parsed by itself, and one that is no JSON spoils all. A JSON text means the same with
 * another whole value in a value's place, so nothing else of their frames has to be parsed.
 */
function readTexts(sources: readonly string[], blocks: Blocks): readonly string[] | null {
  if (sources.length === 0) return sources;
  const texts = parseFrameJson(blocks.textOf(`["${sources.join('","')}"]`));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- every member stands in quotes
  return texts !== undefined && isJsonArray(texts) ? (texts as readonly string[]) : null;
}
