// Takes the text of a tool file, gives its manifest with the places of its parts; refuses unknown keys, values that
// JSON can't hold, and whatever the catalog refuses, each with file, line and column.
import {
  problemLines,
  readDocument,
  schemaProblems,
  type DocumentPath,
  type DocumentProblem,
  type DocumentSource,
} from "../document/index.ts";
import { AirlockError } from "../fault/index.ts";
import { BUILTIN_CATALOG } from "./builtin-catalog.ts";
import { addTools, type ToolCatalog } from "./catalog.ts";
import type { ToolManifest } from "./manifest.ts";
import { toolDocumentSchema } from "./tool-document.ts";

export interface OperatorTool {
  readonly manifest: ToolManifest;
  readonly command: readonly string[];
  /** null where nobody can tell what became of a call */
  readonly probe: readonly string[] | null;
  readonly source: DocumentSource;
}

/** Throws TOOLS_INVALID. `name` is what problems call the file. */
export function readOperatorTool(file: { readonly name: string; readonly text: string }): OperatorTool {
  const source = readDocument(file, { code: "TOOLS_INVALID", noun: "tool" });
  refuse(problemLines(source, unfitValues(source.value, [])));
  const parsed = toolDocumentSchema.safeParse(source.value);
  if (!parsed.success) throw toolsInvalid(problemLines(source, schemaProblems(source, parsed.error)));
  const { name, description, inputSchema, effect, claims, limits, command, probe } = parsed.data;
  const origin = { kind: "operator", command, ...(probe === undefined ? {} : { probe }) } as const;
  const manifest = { name, description, inputSchema, effect, claims, limits, origin };
  return { manifest, command, probe: probe ?? null, source };
}

/** The built-in tools and then the operator's. Throws TOOLS_INVALID with every problem of every file. */
export function operatorCatalog(tools: readonly OperatorTool[]): ToolCatalog {
  const built = addTools(
    BUILTIN_CATALOG,
    tools.map(({ manifest }) => manifest),
  );
  if (built.ok) return built.catalog;
  throw toolsInvalid(
    tools.flatMap(({ manifest, source }) =>
      problemLines(
        source,
        built.problems.filter((problem) => problem.manifest === manifest),
      ),
    ),
  );
}

/** One problem of a tool's file, for those who look at more of it than its manifest. */
export function operatorToolProblem({ source }: OperatorTool, problem: DocumentProblem): AirlockError {
  return toolsInvalid(problemLines(source, [problem]));
}

function refuse(lines: readonly string[]): void {
  if (lines.length > 0) throw toolsInvalid(lines);
}

function toolsInvalid(lines: readonly string[]): AirlockError {
  return new AirlockError("TOOLS_INVALID", lines.join("\n"));
}

const MAX_DEPTH = 64;

/** What YAML can say and the strict JSON of a digest can't. */
function unfitValues(value: unknown, path: DocumentPath): readonly DocumentProblem[] {
  if (path.length > MAX_DEPTH) return [{ path, message: `nested deeper than ${MAX_DEPTH}` }];
  if (typeof value === "string") {
    return /\p{Surrogate}/u.test(value) ? [{ path, message: "half a surrogate pair" }] : [];
  }
  if (typeof value === "number") {
    return Math.abs(value) <= Number.MAX_SAFE_INTEGER
      ? []
      : [{ path, message: "a number that two parsers could read differently; stay within 2^53-1" }];
  }
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]: readonly [string, unknown]) => {
    const at = [...path, Array.isArray(value) ? Number(key) : key];
    if (key === "__proto__")
      return [{ path: at, message: 'the key "__proto__" could reach a prototype; rename it' }];
    return [
      ...(/\p{Surrogate}/u.test(key) ? [{ path: at, message: "half a surrogate pair" }] : []),
      ...unfitValues(inner, at),
    ];
  });
}
