/** One element with its attributes and children, as text that every XML 1.0 parser takes, whatever the values hold. */
export function element(
  name: string,
  attributes: Readonly<Record<string, string | number | null>>,
  children: readonly string[] = [],
): string {
  const given = Object.entries(attributes).flatMap(([key, value]) =>
    value === null ? [] : [` ${key}="${xmlText(String(value))}"`],
  );
  const head = `<${name}${given.join("")}`;
  return children.length === 0 ? `${head}/>` : `${head}>\n${children.join("\n")}\n</${name}>`;
}

const ENTITIES: ReadonlyMap<string, string> = new Map([
  ["&", "&amp;"],
  ["<", "&lt;"],
  [">", "&gt;"],
  ['"', "&quot;"],
  ["'", "&apos;"],
  // a parser makes a space of them where they stand in an attribute as they are
  ["\n", "&#10;"],
  ["\r", "&#13;"],
  ["\t", "&#9;"],
]);

/** XML 1.0 has no form for these characters: U+FFFD stands for each. */
// eslint-disable-next-line no-control-regex -- control characters are what this is about
const IMPOSSIBLE = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Surrogate}/gu;

function xmlText(text: string): string {
  return text
    .replaceAll(IMPOSSIBLE, "\ufffd")
    .replaceAll(/[&<>"'\n\r\t]/g, (character) => ENTITIES.get(character) ?? "");
}
