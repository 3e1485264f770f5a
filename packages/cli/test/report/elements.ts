interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
}

const ATTRIBUTE = / ([a-z]+)="((?:[^<&"\n\r\t]|&(?:amp|lt|gt|quot|apos|#\d+);)*)"/y;
const NAMED: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

/** A strict reader of the little XML that has only elements: throws where a parser would refuse, or anything is odd. */
export function elementsOf(text: string): readonly Element[] {
  const head = '<?xml version="1.0" encoding="UTF-8"?>\n';
  if (!text.startsWith(head)) throw new Error("no XML declaration");
  for (const character of text) {
    if (!/[\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u.test(character))
      throw new Error(`XML has no form for ${JSON.stringify(character)}`);
  }
  const found: Element[] = [];
  const open: string[] = [];
  for (const line of text.slice(head.length).split("\n")) {
    const end = /^<\/([a-z]+)>$/.exec(line)?.[1];
    if (end !== undefined) {
      if (open.pop() !== end) throw new Error(`</${end}> closes nothing`);
      continue;
    }
    const name = /^<([a-z]+)/.exec(line)?.[1] ?? "";
    let at = name.length + 1;
    const attributes: Record<string, string> = {};
    for (ATTRIBUTE.lastIndex = at; ; at = ATTRIBUTE.lastIndex) {
      ATTRIBUTE.lastIndex = at;
      const match = ATTRIBUTE.exec(line);
      if (match === null) break;
      const [, key = "", value = ""] = match;
      if (key in attributes) throw new Error(`${key} twice`);
      attributes[key] = value.replaceAll(
        /&(?:(\w+)|#(\d+));/g,
        (_, entity: string | undefined, code: string) =>
          entity === undefined ? String.fromCodePoint(Number(code)) : (NAMED[entity] ?? ""),
      );
    }
    const rest = line.slice(at);
    if (name === "" || (rest !== "/>" && rest !== ">")) throw new Error(`not an element: ${line}`);
    if (rest === ">") open.push(name);
    found.push({ name, attributes });
  }
  if (open.length > 0) throw new Error(`${open.join(", ")} not closed`);
  return found;
}
