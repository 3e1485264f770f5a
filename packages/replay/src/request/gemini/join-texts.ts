/**
 * In come the parts of a content, out come the same with each run of plain text as one part: a stream cuts texts
 * anywhere, and whether a client joins them again is its own affair. A part with a signature is never joined.
 */
export function joinTexts(parts: readonly object[]): readonly object[] {
  const joined: object[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    if (last === undefined || !isPlain(last) || !isPlain(part) || last.thought !== part.thought) {
      joined.push(part);
    } else {
      joined[joined.length - 1] = { ...last, text: last.text + part.text };
    }
  }
  // An empty text says nothing, and the API refuses a conversation that holds one.
  return joined.filter((part) => !isPlain(part) || part.text !== "");
}

interface PlainText {
  readonly text: string;
  readonly thought?: unknown;
}

function isPlain(part: object): part is PlainText {
  const isText = "text" in part && typeof part.text === "string";
  return isText && Object.keys(part).every((key) => key === "text" || key === "thought");
}
