// Takes a terminal item's name and argument text, gives the arguments that the tool's registered schema accepts,
// and refuses an unknown or unlisted tool, text that is not one strict JSON object, and what the schema refuses.
import { AirlockError, type ErrorClass } from "../fault/index.ts";
import { isJsonObject, parseStrictJson, type JsonObject, type JsonValue } from "../json/index.ts";
import type { ToolCatalog, ToolManifest } from "../tool/index.ts";
import { compileSchema, type SchemaCheck } from "./compile-schema.ts";
import { openPlaces } from "./open-places.ts";

export interface JudgedCall {
  readonly name: string | null;
  readonly argumentsKind: "json" | "text" | null;
  /** The whole argument text. */
  readonly content: string;
  readonly allowedTools: ReadonlySet<string>;
}

export type Verdict =
  | { readonly status: "SCHEMA_VALID"; readonly arguments: JsonObject }
  | {
      readonly status: "QUARANTINED";
      readonly errorClass: ErrorClass;
      /** Offsets, schema places and keywords; never an argument's value. */
      readonly detail: string;
    };

export interface Judge {
  readonly judge: (call: JudgedCall) => Verdict;
}

interface KnownTool {
  readonly manifest: ToolManifest;
  readonly check: SchemaCheck;
}

const ARGUMENT_DEPTH = 64;

/** Compiles every schema of the catalog once. Throws TOOLS_INVALID for one that is open or not a strict schema. */
export function createJudge(catalog: ToolCatalog): Judge {
  const tools = new Map(catalog.names().flatMap((name) => knownTool(catalog, name)));
  return {
    judge: (call) => {
      const tool = call.name === null || !call.allowedTools.has(call.name) ? undefined : tools.get(call.name);
      if (tool === undefined) return quarantined("TOOL_UNKNOWN", "the run has no tool of this name");
      return judgeArguments(call, tool);
    },
  };
}

function knownTool(catalog: ToolCatalog, name: string): readonly (readonly [string, KnownTool])[] {
  const manifest = catalog.get(name);
  if (manifest === undefined) return [];
  const [open] = openPlaces(manifest.inputSchema);
  if (open !== undefined || manifest.inputSchema["type"] !== "object") {
    throw new AirlockError(
      "TOOLS_INVALID",
      `${name}: the input schema is open at ${open ?? "#"}; an object needs type and additionalProperties: false`,
    );
  }
  try {
    return [[name, { manifest, check: compileSchema(manifest.inputSchema) }]];
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : "it does not compile";
    throw new AirlockError("TOOLS_INVALID", `${name}: the input schema is not usable: ${reason}`, { cause });
  }
}

function judgeArguments(call: JudgedCall, tool: KnownTool): Verdict {
  const read = readArguments(call, tool.manifest.limits.argumentBytes);
  if (!read.ok) return read.verdict;
  const failedAt = tool.check(read.value);
  if (failedAt !== null) return quarantined("SCHEMA_VIOLATION", `the schema refuses at ${failedAt}`);
  if (!isJsonObject(read.value)) return quarantined("JSON_TOP_LEVEL", "arguments must be an object");
  return { status: "SCHEMA_VALID", arguments: read.value };
}

type ReadArguments =
  | { readonly ok: true; readonly value: JsonValue }
  | { readonly ok: false; readonly verdict: Verdict };

function readArguments(call: JudgedCall, maxBytes: number): ReadArguments {
  if (call.argumentsKind === null) {
    return {
      ok: false,
      verdict: quarantined("SCHEMA_VIOLATION", "the call carries no arguments of a known kind"),
    };
  }
  // Free text counts as one JSON string.
  if (call.argumentsKind === "text") {
    return Buffer.byteLength(call.content, "utf8") > maxBytes
      ? { ok: false, verdict: quarantined("JSON_TOO_LARGE", "at offset 0") }
      : { ok: true, value: call.content };
  }
  // Families stream nothing at all for a call without arguments; the schema still has its say.
  if (call.content === "") return { ok: true, value: {} };
  const parsed = parseStrictJson(call.content, { maxBytes, maxDepth: ARGUMENT_DEPTH, topLevel: "object" });
  if (parsed.ok) return parsed;
  return { ok: false, verdict: quarantined(parsed.errorClass, `at offset ${parsed.offset}`) };
}

function quarantined(errorClass: ErrorClass, detail: string): Verdict {
  return { status: "QUARANTINED", errorClass, detail };
}
