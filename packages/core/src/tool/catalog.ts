// Takes manifests, gives the tools by name, each with its schema compiled once; refuses names that are taken or
// malformed, schemas that are not strict, and claims that can't be held to.
import type { DocumentProblem } from "../document/index.ts";
import { AirlockError } from "../fault/index.ts";
import { isJsonObject, parseStrictJson, type JsonObject } from "../json/index.ts";
import { compileSchema, type SchemaCheck } from "./compile-schema.ts";
import { schemaText, type ToolManifest } from "./manifest.ts";
import { manifestProblems } from "./manifest-problems.ts";
import { strictSchemaProblems } from "./strict-schema.ts";

export interface ToolCatalog {
  readonly get: (name: string) => ToolManifest | undefined;
  /** In the order of the manifests. */
  readonly names: () => readonly string[];
  /** Holds arguments against the very text that `schemaText` gives. */
  readonly check: (name: string) => SchemaCheck | undefined;
}

export type CatalogResult =
  | { readonly ok: true; readonly catalog: ToolCatalog }
  | { readonly ok: false; readonly problems: readonly ManifestProblem[] };

/** A problem of one manifest; `path` is one of its own. */
export interface ManifestProblem extends DocumentProblem {
  readonly manifest: ToolManifest;
}

const SCHEMA_LIMITS = { maxBytes: 262_144, maxDepth: 64, topLevel: "object" } as const;

/** Throws TOOLS_INVALID with every problem. */
export function createCatalog(manifests: readonly ToolManifest[]): ToolCatalog {
  const built = addTools(null, manifests);
  if (built.ok) return built.catalog;
  const lines = built.problems.map(({ manifest, message }) => `${manifest.name}: ${message}`);
  throw new AirlockError("TOOLS_INVALID", lines.join("\n"));
}

interface Registered {
  readonly manifest: ToolManifest;
  readonly check: SchemaCheck;
}

/** A catalog with all that the first one has, and more. */
export function addTools(base: ToolCatalog | null, manifests: readonly ToolManifest[]): CatalogResult {
  const tools = new Map(base === null ? [] : registeredIn(base));
  const problems: ManifestProblem[] = [];
  for (const manifest of manifests) {
    const taken = tools.get(manifest.name);
    const found = taken === undefined ? manifestProblems(manifest) : [takenName(manifest, taken)];
    const compiled = compile(manifest);
    if (compiled.ok) tools.set(manifest.name, { manifest, check: compiled.check });
    for (const each of [...found, ...(compiled.ok ? [] : compiled.problems)]) {
      problems.push({ manifest, ...each });
    }
  }
  return problems.length > 0 ? { ok: false, problems } : { ok: true, catalog: catalogOf(tools) };
}

/** Over a Map, so that `__proto__` is just an unknown tool. */
function catalogOf(tools: ReadonlyMap<string, Registered>): ToolCatalog {
  return {
    get: (name) => tools.get(name)?.manifest,
    names: () => [...tools.keys()],
    check: (name) => tools.get(name)?.check,
  };
}

function registeredIn({ get, names, check }: ToolCatalog): readonly (readonly [string, Registered])[] {
  return names().flatMap((name) => {
    const [manifest, compiled] = [get(name), check(name)];
    return manifest === undefined || compiled === undefined ? [] : [[name, { manifest, check: compiled }]];
  });
}

function takenName({ name, origin }: ToolManifest, taken: Registered): DocumentProblem {
  const builtin = taken.manifest.origin.kind === "builtin" && origin.kind !== "builtin";
  const by = builtin ? "is a built-in tool's name" : "is registered twice";
  return { path: ["name"], message: `"${name}" ${by}; rename or drop one` };
}

type Compiled =
  | { readonly ok: true; readonly check: SchemaCheck }
  | { readonly ok: false; readonly problems: readonly DocumentProblem[] };

/** Compiled from the text, so that what is enforced is what the model is sent. */
function compile(manifest: ToolManifest): Compiled {
  const parsed = parseStrictJson(schemaText(manifest), SCHEMA_LIMITS);
  if (!parsed.ok || !isJsonObject(parsed.value)) {
    const errorClass = parsed.ok ? "JSON_TOP_LEVEL" : parsed.errorClass;
    return failed([{ path: [], message: `the input schema is no strict JSON object: ${errorClass}` }]);
  }
  const problems = strictSchemaProblems(parsed.value);
  return problems.length > 0 ? failed(problems) : compileStrict(parsed.value);
}

function compileStrict(schema: JsonObject): Compiled {
  try {
    return { ok: true, check: compileSchema(schema) };
  } catch (cause) {
    // The compiler throws an Error for everything that it refuses; its text names keyword and place.
    const reason = cause instanceof Error ? cause.message : "it does not compile";
    return failed([{ path: placeIn(reason), message: `the input schema is not usable: ${reason}` }]);
  }
}

/** The place that the compiler's strict mode names, such as `"#/properties/a"`. */
function placeIn(reason: string): readonly string[] {
  const pointer = /"#\/([^"]*)"/.exec(reason)?.[1];
  return pointer === undefined
    ? []
    : pointer.split("/").map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
}

function failed(problems: readonly DocumentProblem[]): Compiled {
  return {
    ok: false,
    problems: problems.map(({ path, message }) => ({ path: ["inputSchema", ...path], message })),
  };
}
