// Takes the pieces of fields that this family has no meaning for, gives them whole, so that a follow-up can repeat
// what the provider wants to see again; refuses nothing. Linear: pieces are never copied.
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "../../json/index.ts";
import { STREAMED_TEXTS } from "./wire-types.ts";

type Draft =
  | { readonly kind: "value"; readonly value: JsonValue }
  | { readonly kind: "list"; readonly members: Draft[]; readonly byIndex: Map<string, number> }
  | { readonly kind: "object"; readonly fields: Map<string, Draft> };

export interface Extras {
  /** Takes the fields that are not in `known`. */
  add(fields: JsonObject, known: ReadonlySet<string>): void;
  build(): JsonObject;
}

export function createExtras(): Extras {
  const fields = new Map<string, Draft>();
  return {
    add(source, known) {
      addFields(fields, source, known);
    },
    build: () => buildFields(fields),
  };
}

/** A field that holds something: numbers and booleans are remarks, and null, "", [] and {} are nothing. */
export function isContent(value: JsonValue | undefined): boolean {
  if (typeof value === "string") return value !== "";
  if (value === undefined || value === null || typeof value !== "object") return false;
  return isJsonArray(value) ? value.length > 0 : Object.keys(value).length > 0;
}

const NONE: ReadonlySet<string> = new Set();

function addFields(fields: Map<string, Draft>, source: JsonObject, known: ReadonlySet<string>): void {
  for (const key of Object.keys(source)) {
    const value = source[key] ?? null;
    if (value === null || known.has(key)) continue;
    fields.set(key, merge(fields.get(key), value, STREAMED_TEXTS.has(key)));
  }
}

function merge(earlier: Draft | undefined, value: JsonValue, isStreamed: boolean): Draft {
  if (isJsonArray(value)) {
    const list = earlier?.kind === "list" ? earlier : emptyList();
    for (const member of value) addMember(list, member);
    return list;
  }
  if (isJsonObject(value)) {
    const object = earlier?.kind === "object" ? earlier : emptyObject();
    addFields(object.fields, value, NONE);
    return object;
  }
  const before = earlier?.kind === "value" ? earlier.value : null;
  const joins = isStreamed && typeof value === "string" && typeof before === "string";
  return { kind: "value", value: joins ? before + value : value };
}

/** Members that name the same index and type are pieces of one member; all others stand for themselves. */
function addMember(list: Extract<Draft, { kind: "list" }>, member: JsonValue): void {
  const key = isJsonObject(member) ? pieceKey(member) : null;
  const known = key === null ? undefined : list.byIndex.get(key);
  if (known !== undefined) {
    list.members[known] = merge(list.members[known], member, false);
    return;
  }
  if (key !== null) list.byIndex.set(key, list.members.length);
  list.members.push(merge(undefined, member, false));
}

function pieceKey(member: JsonObject): string | null {
  return typeof member["index"] === "number" ? JSON.stringify([member["index"], member["type"]]) : null;
}

function emptyList(): Extract<Draft, { kind: "list" }> {
  return { kind: "list", members: [], byIndex: new Map() };
}

function emptyObject(): Extract<Draft, { kind: "object" }> {
  return { kind: "object", fields: new Map() };
}

function build(draft: Draft): JsonValue {
  switch (draft.kind) {
    case "value":
      return draft.value;
    case "list":
      return draft.members.map((member) => build(member));
    case "object":
      return buildFields(draft.fields);
  }
}

function buildFields(fields: ReadonlyMap<string, Draft>): JsonObject {
  return Object.fromEntries([...fields].map(([key, draft]) => [key, build(draft)]));
}
