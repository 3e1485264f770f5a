// Takes one frame that was read in full, gives a reader for frames that say the same but for the named members; refuses
// every other frame, which has to be read in full. Nearly all frames of a long stream are such repetitions.
import { isDeepStrictEqual } from "node:util";
import { isJsonObject, type JsonValue } from "../json/index.ts";
import { parseFrameJson } from "./frame.ts";
import type { SseMessage } from "./sse.ts";
import { endOfString } from "./source-text.ts";

/** Which members of a frame differ from one repetition to the next: paths of names. */
export interface RepeatedMembers {
  /** The text that the frame brings. */
  readonly piece: readonly string[];
  /** A whole number that counts frames, where the family has one. */
  readonly counter?: readonly string[];
  /** Text that means nothing, such as padding against guesses by length. */
  readonly padding?: readonly string[];
}

export interface Repetition<Meaning> {
  /** What the learned frame meant, and so this one. */
  readonly meaning: Meaning;
  readonly piece: string;
  readonly counter: number | null;
}

export interface FrameRepeats<Meaning> {
  /** Null for every frame that is not the learned one with other members. */
  read(message: SseMessage): Repetition<Meaning> | null;
  /** The frame to compare with from now on. */
  learn(message: SseMessage, members: RepeatedMembers, meaning: Meaning): void;
}

type Role = keyof RepeatedMembers;

interface Hole {
  readonly role: Role;
  readonly from: number;
  readonly to: number;
}

/** The text before, between and after the holes is the same in each repetition. */
interface Template {
  readonly event: string | null;
  readonly roles: readonly Role[];
  readonly literals: readonly string[];
}

/** Looking for holes costs more than reading a frame: it has to pay. */
const FREE_LESSONS = 16;
const HITS_PER_LESSON = 8;

export function createFrameRepeats<Meaning>(): FrameRepeats<Meaning> {
  let learned: { readonly template: Template; readonly meaning: Meaning } | null = null;
  let lessons = 0;
  let hits = 0;
  return {
    read(message) {
      if (learned === null || message.bare) return null;
      const repetition = match(learned.template, message, learned.meaning);
      if (repetition !== null) hits += 1;
      return repetition;
    },
    learn(message, members, meaning) {
      if (lessons > FREE_LESSONS && hits < lessons * HITS_PER_LESSON) return;
      lessons += 1;
      const template = findTemplate(message, members);
      learned = template === null ? null : { template, meaning };
    },
  };
}

/**
 * A JSON text means the same with another whole value in a value's place. So a frame that consists of the template's
 * literals and of one JSON value in each hole means what the learned frame meant, but for these values: each is parsed.
 */
function match<Meaning>(
  { event, literals, roles }: Template,
  message: SseMessage,
  meaning: Meaning,
): Repetition<Meaning> | null {
  const { data } = message;
  const first = literals[0] ?? "";
  // Slices are compared at once; `startsWith` goes by letters, and costs more than all the rest.
  if (message.event !== event || data.slice(0, first.length) !== first) return null;
  let piece: string | null = null;
  let counter: number | null = null;
  let from = first.length;
  for (let at = 0; at < roles.length; at += 1) {
    const next = literals[at + 1] ?? "";
    const isLast = at === roles.length - 1;
    const to = isLast ? data.length - next.length : data.indexOf(next, from);
    if (to < from || (isLast && data.slice(to) !== next)) return null;
    const value = parseValue(data.slice(from, to));
    const role = roles[at] ?? "piece";
    if (typeof value !== ROLES[role].type) return null;
    if (typeof value === "number") counter = value;
    else if (role === "piece") piece = value;
    from = to + next.length;
  }
  return piece === null ? null : { meaning, piece, counter };
}

function parseValue(text: string): string | number | null {
  const value = parseFrameJson(text);
  return typeof value === "string" || typeof value === "number" ? value : null;
}

/** What stands in for each member when a template is tried; all different, so that none is taken for another. */
const ROLES = {
  piece: { type: "string", probe: "piece" },
  counter: { type: "number", probe: 7 },
  padding: { type: "string", probe: "padding" },
} as const satisfies Record<Role, { readonly type: "string" | "number"; readonly probe: JsonValue }>;

/** Null where a member can't be told from the rest of the frame. */
function findTemplate({ event, data }: SseMessage, members: RepeatedMembers): Template | null {
  const frame = parseFrameJson(data);
  if (frame === undefined) return null;
  const holes: Hole[] = [];
  for (const role of ["piece", "counter", "padding"] as const) {
    const hole = findHole(data, role, members[role]?.at(-1));
    if (hole !== null) holes.push(hole);
    else if (role === "piece" || holds(frame, members[role])) return null;
  }
  holes.sort((left, right) => left.from - right.from);
  const ends = [0, ...holes.map(({ to }) => to)];
  const literals = ends.map((end, at) => data.slice(end, holes[at]?.from));
  const roles = holes.map(({ role }) => role);
  return isTrue({ literals, roles }, frame, members) ? { event, literals, roles } : null;
}

function findHole(data: string, role: Role, name: string | undefined): Hole | null {
  if (name === undefined) return null;
  const [place, another] = data.matchAll(new RegExp(`"${name}"\\s*:\\s*(?=["0-9])`, "g"));
  if (place === undefined || another !== undefined) return null;
  const from = place.index + place[0].length;
  const to =
    data[from] === '"'
      ? endOfString(data, from)
      : from + (/^\d+/.exec(data.slice(from, from + 20))?.[0].length ?? 0);
  return { role, from, to };
}

/** With other values in its holes, the text has to parse to the same frame with these values at the members' places. */
function isTrue(
  { literals, roles }: Omit<Template, "event">,
  frame: JsonValue,
  members: RepeatedMembers,
): boolean {
  const probes = roles.map((role) => JSON.stringify(ROLES[role].probe));
  const probe = literals.map((literal, at) => literal + (probes[at] ?? "")).join("");
  const expected = roles.reduce<JsonValue>(
    (changed, role) => withMember(changed, members[role] ?? [], ROLES[role].probe),
    frame,
  );
  return isDeepStrictEqual(parseFrameJson(probe), expected);
}

/** Whether the frame has a member there, however its name is written. */
function holds(frame: JsonValue, path: readonly string[] = []): boolean {
  const [name, ...rest] = path;
  if (name === undefined || !isJsonObject(frame)) return false;
  const value = frame[name];
  return value !== undefined && (rest.length === 0 || holds(value, rest));
}

function withMember(frame: JsonValue, [name, ...rest]: readonly string[], value: JsonValue): JsonValue {
  if (name === undefined) return value;
  if (!isJsonObject(frame) || frame[name] === undefined) return frame;
  return { ...frame, [name]: withMember(frame[name], rest, value) };
}
