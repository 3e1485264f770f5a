const HEADING = /^ {0,3}#{1,6}[ \t]+(.*)$/;
const FENCE = /^ {0,3}(`{3,}|~{3,})/;

/**
 * A Markdown text's headings and whether something stands under each: text of its own, or a filled heading of a
 * deeper level. A `#` inside a code fence is no heading. Of two headings with one name, one filled is enough.
 */
export function filledSections(markdown: string): ReadonlyMap<string, boolean> {
  const filled = new Map<string, boolean>();
  let open: readonly { readonly name: string; readonly level: number }[] = [];
  let fence: string | null = null;
  for (const line of markdown.split(/\r?\n/)) {
    const heading = fence === null ? HEADING.exec(line) : null;
    if (heading !== null) {
      const level = line.trimStart().search(/[^#]/);
      const name = sectionName(heading[1] ?? "");
      open = [...open.filter((section) => section.level < level), { name, level }];
      filled.set(name, filled.get(name) ?? false);
      continue;
    }
    const hasText = FENCE.exec(line) === null && line.trim() !== "";
    fence = nextFence(fence, line);
    if (hasText) for (const section of open) filled.set(section.name, true);
  }
  return filled;
}

/** Headings are compared without case, closing hashes, emphasis and a final colon. */
export function sectionName(heading: string): string {
  return withoutClosingHashes(heading.trim())
    .replace(/[*_`]/g, "")
    .trim()
    .replace(/:$/, "")
    .normalize("NFC")
    .toLowerCase();
}

/** A loop, since a pattern for "blanks, hashes, end" takes quadratic time on a long run of blanks. */
function withoutClosingHashes(heading: string): string {
  let end = heading.length;
  while (heading.charAt(end - 1) === "#") end -= 1;
  const closing = end === 0 || " \t".includes(heading.charAt(end - 1));
  return closing ? heading.slice(0, end) : heading;
}

function nextFence(fence: string | null, line: string): string | null {
  const mark = FENCE.exec(line)?.[1];
  if (mark === undefined) return fence;
  if (fence === null) return mark;
  const closes = mark.startsWith(fence) && line.trim() === mark;
  return closes ? null : fence;
}
