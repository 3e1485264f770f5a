// Takes a terminal item's name and argument text, gives the arguments that the tool's registered schema accepts,
// and refuses an unknown or unlisted tool, text that is not one strict JSON object, and what the schema refuses.
import type { ErrorClass } from "../fault/index.ts";
import { isJsonObject, parseStrictJson, type JsonObject, type JsonValue } from "../json/index.ts";
import type { SchemaCheck, ToolCatalog, ToolManifest } from "../tool/index.ts";

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

const ARGUMENT_DEPTH = 64;

export function createJudge(catalog: ToolCatalog): Judge {
  return {
    judge: (call) => {
      const name = call.name !== null && call.allowedTools.has(call.name) ? call.name : null;
      const manifest = name === null ? undefined : catalog.get(name);
      const check = name === null ? undefined : catalog.check(name);
      if (manifest === undefined || check === undefined) {
        return quarantined("TOOL_UNKNOWN", "the run has no tool of this name");
      }
      return judgeArguments(call, { manifest, check });
    },
  };
}

function judgeArguments(
  call: JudgedCall,
  tool: { readonly manifest: ToolManifest; readonly check: SchemaCheck },
): Verdict {
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
