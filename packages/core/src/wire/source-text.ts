// Takes JSON text that JSON.parse has accepted, gives the exact text of every value under one member name; to be
// used for nothing else, since it checks nothing.
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Names of members and indices of lists, from the outside in. */
export type SourcePath = readonly (string | number)[];

/** No two paths have one key, whatever characters a name is made of. */
export function sourceKey(path: SourcePath): string {
  return JSON.stringify(path);
}

interface Place {
  readonly path: SourcePath;
  /** Where the next value of the container stands. */
  index: number;
  readonly isArray: boolean;
}

interface Scan {
  readonly text: string;
  readonly key: string;
  readonly found: Map<string, string>;
  readonly places: Place[];
  at: number;
  /** The name whose value comes next, within an object. */
  member: string | null;
}

/**
 * Arguments that arrive as an object have lost their duplicate keys and the digits of their numbers once they
 * are parsed; here they are as they were sent. Each is found by the key of its path; of members that stand
 * twice the last one counts, as it does in JSON.parse. What is found is not searched for more of the same.
 */
export function sourceTexts(text: string, key: string): ReadonlyMap<string, string> {
  const scan: Scan = { text, key, found: new Map(), places: [], at: 0, member: null };
  while (scan.at < text.length) step(scan);
  return scan.found;
}

function step(scan: Scan): void {
  const char = scan.text[scan.at] ?? "";
  const place = scan.places.at(-1);
  if (char === '"' && place?.isArray === false && scan.member === null) {
    readMember(scan);
    return;
  }
  if (isValueStart(char)) {
    enterValue(scan, char);
    return;
  }
  if (char === "}" || char === "]") scan.places.pop();
  if (char === "," && place !== undefined) place.index += 1;
  scan.at += 1;
}

function readMember(scan: Scan): void {
  const end = endOfString(scan.text, scan.at);
  const name: unknown = JSON.parse(scan.text.slice(scan.at, end));
  scan.member = typeof name === "string" ? name : "";
  scan.at = end;
}

function enterValue(scan: Scan, char: string): void {
  const { text, at, member, key } = scan;
  const path = valuePath(scan.places.at(-1), member);
  scan.member = null;
  if (member !== key && (char === "{" || char === "[")) {
    scan.places.push({ path, index: 0, isArray: char === "[" });
    scan.at += 1;
    return;
  }
  scan.at = endOfValue(text, at);
  if (member === key) scan.found.set(sourceKey(path), text.slice(at, scan.at));
}

function valuePath(place: Place | undefined, member: string | null): SourcePath {
  return place === undefined ? [] : [...place.path, member ?? place.index];
}

/** Between values there are only spaces, colons, commas and closing brackets. */
function isValueStart(char: string): boolean {
  return !" \t\n\r:,}]".includes(char);
}

/** Where the string that begins at `from` has ended. */
function endOfString(text: string, from: number): number {
  let at = from + 1;
  while (at < text.length && text.charCodeAt(at) !== QUOTE) at += text.charCodeAt(at) === BACKSLASH ? 2 : 1;
  return at + 1;
}

function endOfWord(text: string, from: number): number {
  const word = /[^\s,}\]]+/y;
  word.lastIndex = from;
  return word.test(text) ? word.lastIndex : from + 1;
}

function endOfValue(text: string, from: number): number {
  const first = text[from];
  if (first === '"') return endOfString(text, from);
  if (first !== "{" && first !== "[") return endOfWord(text, from);
  let depth = 0;
  let at = from;
  do {
    const char = text[at];
    if (char === '"') {
      at = endOfString(text, at);
      continue;
    }
    if (char === "{" || char === "[") depth += 1;
    if (char === "}" || char === "]") depth -= 1;
    at += 1;
  } while (depth > 0 && at < text.length);
  return at;
}
