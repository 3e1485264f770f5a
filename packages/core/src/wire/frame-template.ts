// Takes one frame that was read in full and the members that change from frame to frame, gives the text that stays the
// same around their values; refuses a frame in which a member can't be told from the rest.
import { isDeepStrictEqual } from "node:util";
import { closingQuote, isJsonObject, type JsonValue } from "../json/index.ts";
import { parseFrameJson } from "./frame.ts";
import type { SseMessage } from "./sse.ts";

/** Which members of a frame differ from one repetition to the next: paths of names. */
export interface RepeatedMembers {
  /** The text that the frame brings. */
  readonly piece: readonly string[];
  /** A whole number that counts frames, where the family has one. */
  readonly counter?: readonly string[];
  /** Text that means nothing, such as padding against guesses by length. */
  readonly padding?: readonly string[];
}

export type Role = keyof RepeatedMembers;

/** A block of an event stream with holes: the quotes of texts belong to the literals, so that a hole is what is quoted. */
export interface Template {
  readonly roles: readonly Role[];
  /** What stands before, between and after the holes, one character for each byte. */
  readonly literals: readonly string[];
}

interface Hole {
  readonly role: Role;
  readonly from: number;
  readonly to: number;
}

/** What stands in for each member when a template is tried; all different, so that none is taken for another. */
const PROBES = {
  piece: "piece",
  counter: 7,
  padding: "padding",
} as const satisfies Record<Role, JsonValue>;

/** Null where a member can't be told from the rest of the frame. */
export function findTemplate({ event, data, bare }: SseMessage, members: RepeatedMembers): Template | null {
  const frame = parseFrameJson(data);
  // Data of several lines has a field's name before each.
  if (frame === undefined || bare || data.includes("\n")) return null;
  const holes: Hole[] = [];
  for (const role of ["piece", "counter", "padding"] as const) {
    const hole = findHole(data, role, members[role]?.at(-1));
    if (hole !== null) holes.push(hole);
    else if (role === "piece" || holds(frame, members[role])) return null;
  }
  holes.sort((left, right) => left.from - right.from);
  const roles = holes.map(({ role }) => role);
  const literals = literalsAround(data, holes);
  if (!isTrue({ roles, literals }, frame, members)) return null;
  const header = event === null ? "data: " : `event: ${event}\ndata: `;
  return { roles, literals: literalsAround(`${header}${data}\n\n`, holes, header.length).map(bytesOf) };
}

/** The places of holes are counted from `start`. */
function literalsAround(text: string, holes: readonly Hole[], start = 0): readonly string[] {
  const ends = [0, ...holes.map(({ to }) => start + to)];
  return ends.map((end, at) => {
    const next = holes[at];
    return text.slice(end, next === undefined ? undefined : start + next.from);
  });
}

function bytesOf(text: string): string {
  return Buffer.from(text, "utf8").toString("latin1");
}

function findHole(data: string, role: Role, name: string | undefined): Hole | null {
  if (name === undefined) return null;
  const [place, another] = data.matchAll(new RegExp(`"${name}"\\s*:\\s*("|(?=\\d))`, "g"));
  if (place === undefined || another !== undefined) return null;
  const from = place.index + place[0].length;
  const to =
    place[1] === '"' ? closingQuote(data, from) : from + (/^\d+/.exec(data.slice(from))?.[0].length ?? 0);
  return { role, from, to };
}

/** With other values in its holes, the text has to parse to the same frame with these values at the members' places. */
function isTrue({ roles, literals }: Template, frame: JsonValue, members: RepeatedMembers): boolean {
  const probe = literals.map((literal, at) => `${literal}${PROBES[roles[at] ?? "piece"]}`);
  const last = literals.at(-1) ?? "";
  const expected = roles.reduce<JsonValue>(
    (changed, role) => withMember(changed, members[role] ?? [], PROBES[role]),
    frame,
  );
  return isDeepStrictEqual(parseFrameJson([...probe.slice(0, -1), last].join("")), expected);
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
