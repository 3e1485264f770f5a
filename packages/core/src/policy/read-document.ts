import { LineCounter, isMap, isNode, isScalar, parseDocument, type Document, type Node } from "yaml";
import { AirlockError } from "../fault/index.ts";

export type DocumentPath = readonly (string | number)[];

/** `name` is what problems call the file. */
export interface PolicyFile {
  readonly name: string;
  readonly text: string;
}

export interface PolicySource {
  readonly name: string;
  readonly value: unknown;
  /** Where a path of the document stands, counted from 1; for a missing part, where its parent stands. */
  readonly locate: (path: DocumentPath) => { readonly line: number; readonly column: number };
  readonly has: (path: DocumentPath) => boolean;
}

/** Reads YAML 1.2 core, one document, no aliases, no tags, no doubled keys. Throws POLICY_INVALID with every place. */
export function readPolicyDocument(source: PolicyFile): PolicySource {
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
    (fault) => `${at(fault.pos[0])}: ${fault.message}`,
  );
  if (faults.length > 0) throw new AirlockError("POLICY_INVALID", faults.join("\n"));
  if (document.contents === null) {
    throw new AirlockError(
      "POLICY_INVALID",
      `${source.name}:1:1: the file is empty; an empty policy is never used`,
    );
  }
  return {
    name: source.name,
    value: toValue(document, source.name),
    locate: (path) => {
      const { line, col } = lines.linePos(nodeAt(document, path)?.range?.[0] ?? 0);
      return { line: Math.max(line, 1), column: Math.max(col, 1) };
    },
    has: (path) => document.hasIn(path),
  };
}

function toValue(document: Document.Parsed, name: string): unknown {
  try {
    return document.toJS({ maxAliasCount: 0 });
  } catch (cause) {
    throw new AirlockError(
      "POLICY_INVALID",
      `${name}:1:1: aliases (*name) are not allowed; write the value out`,
      {
        cause,
      },
    );
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
