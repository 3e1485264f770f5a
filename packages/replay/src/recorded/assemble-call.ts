/** In come the parts of one call with streamed arguments, out comes the part as it would have come at once. */
import { isRecord, recordsOf, textOf, type RecordedItem } from "./events.ts";

type Step = string | number;

export function isFragment(call: RecordedItem): boolean {
  return call["willContinue"] === true || recordsOf(call["partialArgs"]).length > 0;
}

export function assembleCall(parts: readonly RecordedItem[]): RecordedItem {
  const args: Record<string, unknown> = {};
  let id: unknown;
  for (const { functionCall: call } of parts) {
    if (!isRecord(call)) continue;
    id ??= call["id"];
    for (const fragment of recordsOf(call["partialArgs"])) apply(args, fragment);
  }
  const [first = {}] = parts;
  const opener = isRecord(first["functionCall"]) ? first["functionCall"] : {};
  const { partialArgs: _partial, willContinue: _more, ...call } = opener;
  const beside = parts.reduceRight<RecordedItem>((all, part) => ({ ...all, ...part }), {});
  return { ...beside, functionCall: { ...call, ...(id === undefined ? {} : { id }), args } };
}

function apply(root: Record<string, unknown>, fragment: RecordedItem): void {
  const steps = stepsOf(textOf(fragment["jsonPath"]));
  let holder: unknown = root;
  for (const [at, step] of steps.entries()) {
    const next = steps[at + 1];
    const known = memberOf(holder, step);
    if (next === undefined) {
      const value = valueOf(fragment);
      define(holder, step, typeof known === "string" && typeof value === "string" ? known + value : value);
    } else {
      if (known === undefined) define(holder, step, typeof next === "number" ? [] : {});
      holder = memberOf(holder, step);
    }
  }
}

/** `$.a[0].b` and `$['a'][0]`. */
function stepsOf(path: string): readonly Step[] {
  return [...path.matchAll(/\.([^.[]+)|\[(\d+)\]|\['([^']*)'\]|\["([^"]*)"\]/gu)].map(
    ([, dotted, index, single, double]) =>
      index === undefined ? (dotted ?? single ?? double ?? "") : Number(index),
  );
}

function valueOf(fragment: RecordedItem): unknown {
  const { stringValue, numberValue, boolValue } = fragment;
  return stringValue ?? numberValue ?? boolValue ?? null;
}

function memberOf(holder: unknown, step: Step): unknown {
  if (typeof holder !== "object" || holder === null || !Object.hasOwn(holder, step)) return undefined;
  return Reflect.get(holder, step);
}

/** As an own property, whatever its name. */
function define(holder: unknown, step: Step, value: unknown): void {
  if (typeof holder !== "object" || holder === null) return;
  Object.defineProperty(holder, step, { value, writable: true, enumerable: true, configurable: true });
}
