import { accept, refuse, type Checked } from "../../refusal.ts";
import type { Content } from "./contents.ts";

interface Named {
  readonly id?: string;
  readonly name: string;
}

/**
 * Checks that the content after calls has one response for each of them, and that no response stands anywhere else.
 * A call without an id is told by its name, and by its place among the calls of that name.
 */
export function checkPairing(contents: readonly Content[]): Checked<null> {
  if (contents[0]?.role !== "user") {
    return refuse("invalid_request", "the first content has to be the user's", "contents[0].role");
  }
  let open: readonly Named[] = [];
  for (const [index, content] of contents.entries()) {
    if (content.role === "model") {
      open = [...open, ...callsOf(content)];
      continue;
    }
    const responses = responsesOf(content);
    if (!sameCalls(open, responses)) {
      const message =
        "the responses of a content have to be those to the calls of the content before, one for each";
      return refuse("invalid_request", message, `contents[${index}].parts`);
    }
    open = [];
  }
  const [unanswered] = open;
  return unanswered === undefined
    ? accept(null)
    : refuse("invalid_request", `no functionResponse for ${unanswered.name}`, "contents");
}

function sameCalls(calls: readonly Named[], responses: readonly Named[]): boolean {
  const keys = (list: readonly Named[]): string =>
    JSON.stringify(list.map(({ id, name }) => [id ?? "", name]).toSorted(byText));
  return keys(calls) === keys(responses);
}

function byText(left: readonly string[], right: readonly string[]): number {
  return JSON.stringify(left) < JSON.stringify(right) ? -1 : 1;
}

function callsOf(content: Extract<Content, { role: "model" }>): readonly Named[] {
  return content.parts.flatMap(({ functionCall }) => functionCall ?? []);
}

function responsesOf(content: Extract<Content, { role: "user" }>): readonly Named[] {
  return content.parts.flatMap((part) => ("functionResponse" in part ? part.functionResponse : []));
}
