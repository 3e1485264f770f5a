import {
  LineCounter,
  isMap,
  isNode,
  isScalar,
  parseDocument,
  type Document,
  type ErrorCode as YamlFault,
  type Node,
} from "yaml";
import { AirlockError, type ErrorCode } from "../fault/index.ts";

/** What a document is, for its errors: their code, and the word for it. */
export interface DocumentKind {
  readonly code: ErrorCode;
  readonly noun: string;
}

export type DocumentPath = readonly (string | number)[];

export interface DocumentSource {
  readonly name: string;
  readonly value: unknown;
  /** Where a path of the document stands, counted from 1; for a missing part, where its parent stands. */
  readonly locate: (path: DocumentPath) => { readonly line: number; readonly column: number };
  readonly has: (path: DocumentPath) => boolean;
}

/** What the parser says to programmers, as an operator can use it. */
const FAULT_WORDS: Partial<Record<YamlFault, string>> = {
  MULTIPLE_DOCS: "a second document begins here; a file holds one: take out the line ---, or split the file",
};

/** Reads YAML 1.2 core or JSON: one document, no aliases, no tags, no doubled keys. Throws with every place. */
export function readDocument(
  source: { readonly name: string; readonly text: string },
  { code, noun }: DocumentKind,
): DocumentSource {
  const lines = new LineCounter();
  const document = parseDocument(source.text, {
    lineCounter: lines,
    prettyErrors: false,
    schema: "core",
    uniqueKeys: true,
    stringKeys: true,
  });
  const at = (offset: number): string => {
    const { line, col } = lines.linePos(offset);
    return `${source.name}:${line}:${col}`;
  };
  const faults = [...document.errors, ...document.warnings].map(
    (fault) => `${at(fault.pos[0])}: ${FAULT_WORDS[fault.code] ?? fault.message}`,
  );
  if (faults.length > 0) throw new AirlockError(code, faults.join("\n"));
  if (document.contents === null) {
    throw new AirlockError(code, `${source.name}:1:1: the file is empty; an empty ${noun} is never used`);
  }
  if (!isMap(document.contents)) {
    throw new AirlockError(
      code,
      `${at(document.contents.range[0])}: the file is no mapping; a ${noun} is written as keys with values`,
    );
  }
  return {
    name: source.name,
    value: toValue(document, { name: source.name, code }),
    locate: (path) => {
      const { line, col } = lines.linePos(nodeAt(document, path)?.range?.[0] ?? 0);
      return { line: Math.max(line, 1), column: Math.max(col, 1) };
    },
    has: (path) => document.hasIn(path),
  };
}

function toValue(
  document: Document.Parsed,
  { name, code }: { readonly name: string; readonly code: ErrorCode },
): unknown {
  try {
    return document.toJS({ maxAliasCount: 0 });
  } catch (cause) {
    throw new AirlockError(code, `${name}:1:1: aliases (*name) are not allowed; write the value out`, {
      cause,
    });
  }
}

function nodeAt(document: Document.Parsed, path: DocumentPath): Node | null {
  if (path.length === 0) return document.contents;
  const parent = document.getIn(path.slice(0, -1), true);
  const last = path.at(-1);
  if (isMap<unknown, Node | null>(parent)) {
    const key = parent.items.find((pair) => isScalar(pair.key) && pair.key.value === last)?.key;
    if (isScalar(key)) return key;
  }
  const node: unknown = document.getIn(path, true);
  return isNode(node) ? node : nodeAt(document, path.slice(0, -1));
}
