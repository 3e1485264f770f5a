/** In come the bytes of a recorded completion, out comes the one message that a client has to replay after it. */
import { isDeepStrictEqual } from "node:util";
import { isJson, isRecord, recordedEvents, recordsOf, textOf, type RecordedItem } from "./events.ts";
import { joinExtras } from "./join-extras.ts";

interface Call {
  readonly index: unknown;
  readonly pieces: RecordedItem[];
}

export function chatStreamOutput(bytes: Uint8Array): readonly RecordedItem[] | null {
  const deltas: RecordedItem[] = [];
  const calls: Call[] = [];
  let finished = false;
  for (const { choices } of recordedEvents(bytes)) {
    const [choice] = recordsOf(choices);
    if (choice === undefined) continue;
    finished ||= textOf(choice["finish_reason"]) !== "";
    if (!isRecord(choice["delta"])) continue;
    deltas.push(choice["delta"]);
    for (const piece of recordsOf(choice["delta"]["tool_calls"])) addPiece(calls, piece);
  }
  return finished ? messageOf(deltas, calls) : null;
}

export function chatBodyOutput(body: RecordedItem): readonly RecordedItem[] | null {
  const [choice] = recordsOf(body["choices"]);
  const message = choice?.["message"];
  if (!isRecord(message) || textOf(choice?.["finish_reason"]) === "") return null;
  const calls = recordsOf(message["tool_calls"]).map((piece, index) => ({ index, pieces: [piece] }));
  return messageOf([message], calls);
}

/** The gateway can't know an id that the client made up for a call without one, and asks only that it is consistent. */
export function isChatReplay(recorded: RecordedItem, replayed: unknown): boolean {
  const calls = recordsOf(recorded["tool_calls"]);
  if (calls.every((call) => "id" in call) || !isRecord(replayed))
    return isDeepStrictEqual(recorded, replayed);
  const own = recordsOf(replayed["tool_calls"]).map((call, at) => {
    const { id: _id, ...rest } = call;
    return "id" in (calls[at] ?? {}) ? call : rest;
  });
  return isDeepStrictEqual(recorded, { ...replayed, tool_calls: own });
}

/** A piece belongs to the call of its index, or else to the last one, unless it brings another id. */
function addPiece(calls: Call[], piece: RecordedItem): void {
  const { index = null } = piece;
  const known = calls.findLast((call) => index === null || call.index === index);
  const id = textOf(piece["id"]);
  const other = id !== "" && known !== undefined && idOf(known) !== "" && idOf(known) !== id;
  if (known === undefined || other) calls.push({ index, pieces: [piece] });
  else known.pieces.push(piece);
}

function idOf({ pieces }: Call): string {
  return pieces.map(({ id }) => textOf(id)).find((id) => id !== "") ?? "";
}

const MESSAGE_FIELDS = ["content", "function_call", "index", "refusal", "role", "tool_calls"];

function messageOf(deltas: readonly RecordedItem[], calls: readonly Call[]): readonly RecordedItem[] {
  const content = deltas.map((delta) => textOf(delta["content"])).join("");
  const refusal = deltas.map((delta) => textOf(delta["refusal"])).join("");
  const legacy = deltas.flatMap(({ function_call: call }) => (isRecord(call) ? [{ function: call }] : []));
  const all = legacy.length === 0 ? calls : [...calls, { index: null, pieces: legacy }];
  if (content === "" && refusal === "" && all.length === 0) return [];
  return [
    {
      role: "assistant",
      content: content === "" ? null : content,
      ...(refusal === "" ? {} : { refusal }),
      ...joinExtras(deltas, MESSAGE_FIELDS),
      ...(all.length === 0 ? {} : { tool_calls: all.map((call) => callOf(call)) }),
    },
  ];
}

function callOf(call: Call): RecordedItem {
  const id = idOf(call);
  const member = call.pieces.some((piece) => isRecord(piece["custom"])) ? "custom" : "function";
  const bodies = call.pieces.flatMap((piece) => (isRecord(piece[member]) ? [piece[member]] : []));
  const input = member === "custom" ? "input" : "arguments";
  const sent = bodies.map((body) => argumentsOf(body[input])).join("");
  return {
    ...(id === "" ? {} : { id }),
    type: member,
    [member]: {
      name: nameOf(bodies),
      // A client must not send on what is no JSON: the provider would refuse the whole conversation.
      [input]: member === "custom" || isJson(sent) ? sent : "{}",
      ...joinExtras(bodies, ["arguments", "input", "name"]),
    },
    ...joinExtras(call.pieces, ["custom", "function", "id", "index", "type"]),
  };
}

function argumentsOf(value: unknown): string {
  return isRecord(value) || Array.isArray(value) ? JSON.stringify(value) : textOf(value);
}

/** A name may be repeated with every piece, or be sent in pieces. */
function nameOf(bodies: readonly RecordedItem[]): string {
  return bodies
    .map(({ name }) => textOf(name))
    .reduce((whole, piece) => (piece === whole ? whole : whole + piece), "");
}
