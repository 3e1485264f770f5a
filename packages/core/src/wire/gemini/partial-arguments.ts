// Takes the partial arguments of one call in order, gives the arguments as one object; refuses a fragment that
// says twice what a place holds, that leaves holes in an array, or that puts a value where another kind stands.
import type { JsonObject, JsonValue } from "../../json/index.ts";
import { text } from "../fields.ts";
import { parseJsonPath, type PathStep } from "./json-path.ts";

/** Members live in a Map: no name that a model chooses can reach a prototype. */
type Container = Map<PathStep, Node> | Node[];
type Scalar = string | number | boolean | null;
type Node = Scalar | Container;

export interface PartialArguments {
  /** False for a fragment that does not fit; what was built is then not to be trusted. */
  apply(fragment: JsonObject): boolean;
  /** Null while a text is still to be continued. */
  finish(): JsonObject | null;
}

interface Leaf {
  readonly parent: Container;
  readonly step: PathStep;
  /** Joined at the end; null for a value that is whole. */
  readonly pieces: string[] | null;
  open: boolean;
}

export function createPartialArguments(): PartialArguments {
  const root = new Map<PathStep, Node>();
  const leaves = new Map<string, Leaf>();

  return {
    apply(fragment) {
      const path = parseJsonPath(text(fragment["jsonPath"]) ?? "");
      const value = readValue(fragment);
      if (path === null || value === undefined) return false;
      const key = JSON.stringify(path);
      const open = fragment["willContinue"] === true;
      const known = leaves.get(key);
      if (known !== undefined) return continueText(known, value, open);
      if (open && typeof value !== "string") return false;
      const place = findPlace(root, path);
      if (place === null || child(place.parent, place.step) !== undefined) return false;
      if (!put(place.parent, place.step, value)) return false;
      leaves.set(key, { ...place, pieces: typeof value === "string" ? [value] : null, open });
      return true;
    },
    finish() {
      for (const { parent, step, pieces, open } of leaves.values()) {
        if (open) return null;
        if (pieces !== null && pieces.length > 1) replace(parent, step, pieces.join(""));
      }
      return toObject(root);
    },
  };
}

/** Exactly one of the four value fields; undefined otherwise. */
function readValue(fragment: JsonObject): Scalar | undefined {
  const { stringValue, numberValue, boolValue } = fragment;
  const values: readonly (Scalar | undefined)[] = [
    typeof stringValue === "string" ? stringValue : undefined,
    typeof numberValue === "number" ? numberValue : undefined,
    typeof boolValue === "boolean" ? boolValue : undefined,
    "nullValue" in fragment ? null : undefined,
  ];
  const [first, ...others] = values.filter((value) => value !== undefined);
  return others.length === 0 ? first : undefined;
}

function continueText(leaf: Leaf, value: Scalar, open: boolean): boolean {
  if (!leaf.open || leaf.pieces === null || typeof value !== "string") return false;
  leaf.pieces.push(value);
  leaf.open = open;
  return true;
}

/** Makes the containers on the way; null where something else stands there. */
function findPlace(
  root: Container,
  path: readonly PathStep[],
): { readonly parent: Container; readonly step: PathStep } | null {
  let parent = root;
  for (const [index, step] of path.entries()) {
    const next = path[index + 1];
    if (next === undefined) return { parent, step };
    const known = child(parent, step);
    const container = known ?? (typeof next === "number" ? [] : new Map<PathStep, Node>());
    if (!isContainer(container)) return null;
    if (known === undefined && !put(parent, step, container)) return null;
    parent = container;
  }
  return null;
}

function isContainer(node: Node): node is Container {
  return node instanceof Map || Array.isArray(node);
}

function child(parent: Container, step: PathStep): Node | undefined {
  if (parent instanceof Map) return parent.get(step);
  return typeof step === "number" ? parent[step] : undefined;
}

/** Arrays grow at their end only, so that an index can't ask for memory. */
function put(parent: Container, step: PathStep, node: Node): boolean {
  if (parent instanceof Map) {
    if (typeof step === "string") parent.set(step, node);
    return typeof step === "string";
  }
  if (step !== parent.length) return false;
  parent.push(node);
  return true;
}

function replace(parent: Container, step: PathStep, node: Node): void {
  if (parent instanceof Map) parent.set(step, node);
  else if (typeof step === "number") parent[step] = node;
}

function toObject(members: Map<PathStep, Node>): JsonObject {
  // Without a prototype, every name is an own property.
  const object: Record<string, JsonValue> = { __proto__: null };
  for (const [name, node] of members) object[name] = toJson(node);
  return object;
}

function toJson(node: Node): JsonValue {
  if (node instanceof Map) return toObject(node);
  return Array.isArray(node) ? node.map((member) => toJson(member)) : node;
}
