/** A frame as the oracle sees it: read by the simplest means, and by none of the code that it judges. */
export interface OracleMessage {
  readonly event: string | null;
  readonly text: string;
  /** The parsed object; null where the data is none. */
  readonly data: Record<string, unknown> | null;
}

/** Throws where the bytes hold anything that no trustworthy stream has. */
export function oracleMessages(bytes: Uint8Array): readonly OracleMessage[] {
  const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  const blocks = text.split(/\r\n|\r|\n/).reduce<string[][]>(
    (found, line) => {
      if (line === "") found.push([]);
      else found.at(-1)?.push(line);
      return found;
    },
    [[]],
  );
  return blocks.flatMap((lines) => readBlock(lines));
}

function readBlock(lines: readonly string[]): readonly OracleMessage[] {
  if (lines.some((line) => /^\s*[{[]/.test(line) && line.trim() !== "[DONE]"))
    throw new Error("a bare line of JSON");
  const values = (field: string): readonly string[] =>
    lines.flatMap((line) => {
      if (line === field) return [""];
      return line.startsWith(`${field}:`) ? [line.slice(field.length + 1).replace(/^ /, "")] : [];
    });
  const data = values("data");
  if (data.length === 0) return [];
  const text = data.join("\n").trim();
  const event = values("event").at(-1) ?? "";
  if (isErrorName(event)) throw new Error("an event named error");
  if (text === "" || text === "[DONE]") return [{ event: null, text, data: null }];
  const value: unknown = JSON.parse(text);
  if (Array.isArray(value)) throw new Error("a list");
  const message = { event: event === "" ? null : event, text, data: isObject(value) ? value : null };
  checkMessage(message);
  return [message];
}

function checkMessage({ event, data }: OracleMessage): void {
  if (data === null) return;
  if ((data["error"] ?? null) !== null || isErrorName(data["type"])) {
    throw new Error("an error");
  }
  const type = data["type"];
  if (typeof type === "string" && type !== "" && event !== null && type !== event)
    throw new Error("two types");
}

function isErrorName(name: unknown): boolean {
  return typeof name === "string" && /(?:^|\.)error$/.test(name);
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function objectAt(value: unknown, ...path: readonly (string | number)[]): Record<string, unknown> {
  const found = path.reduce<unknown>((current, key) => {
    if (Array.isArray(current) && typeof key === "number") return current[key];
    return isObject(current) && Object.hasOwn(current, key) ? current[key] : undefined;
  }, value);
  return isObject(found) ? found : {};
}

export function listAt(value: unknown, key: string): readonly Record<string, unknown>[] {
  const list = isObject(value) ? value[key] : undefined;
  return Array.isArray(list) ? list.filter((entry) => isObject(entry)) : [];
}

export function typeOf({ data, event }: OracleMessage): unknown {
  const type = data?.["type"];
  return typeof type === "string" && type !== "" ? type : event;
}
