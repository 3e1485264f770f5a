// Takes what the spec expects and the final output text, gives the artifact, and refuses what is empty, not the
// expected JSON, not marked complete, short of a section, or a patch that reaches too far or not far enough.
// Reasons name places of the spec and number those of the output, never quote it.
import { assertNever } from "../fault/index.ts";
import { isJsonObject, parseStrictJson, type JsonValue } from "../json/index.ts";
import type { PathScope } from "../policy/index.ts";
import { normalizeWorkspacePath, readPatchFiles, type PatchFile } from "../tool/index.ts";
import { compileSchema } from "../verdict/index.ts";
import type { ArtifactExpectation, ArtifactKind } from "./expectation.ts";
import { filledSections, sectionName } from "./sections.ts";

export type ArtifactResult =
  | { readonly ok: true; readonly artifact: { readonly kind: ArtifactKind; readonly content: string } }
  | { readonly ok: false; readonly errorClass: "ARTIFACT_INVALID"; readonly reason: string };

const JSON_LIMITS = { maxBytes: 33_554_432, maxDepth: 64, topLevel: "any" } as const;

/** `writes` is what policy lets the run write; null where no policy says so, and then nothing may be. */
export function validateArtifact(
  expectation: ArtifactExpectation,
  outputText: string,
  writes: PathScope | null = null,
): ArtifactResult {
  const reason = refusal(expectation, outputText, writes);
  if (reason !== null) return { ok: false, errorClass: "ARTIFACT_INVALID", reason };
  return { ok: true, artifact: { kind: expectation.kind, content: outputText } };
}

function refusal(expectation: ArtifactExpectation, text: string, writes: PathScope | null): string | null {
  if (text.trim() === "") return "the output is empty";
  switch (expectation.kind) {
    case "text":
    case "manifest": // the files decide, and they are in the workspace
      return null;
    case "patch":
      return patchRefusal(expectation.files, text, writes);
    case "json":
      return jsonRefusal(expectation, text);
    case "report":
      return reportRefusal(expectation.sections, text);
    default:
      return assertNever(expectation);
  }
}

function jsonRefusal(
  expectation: Extract<ArtifactExpectation, { kind: "json" }>,
  text: string,
): string | null {
  const parsed = parseStrictJson(text, JSON_LIMITS);
  if (!parsed.ok)
    return `the output is not one strict JSON value: ${parsed.errorClass} at offset ${parsed.offset}`;
  const failedAt = expectation.schema === undefined ? null : compileSchema(expectation.schema)(parsed.value);
  if (failedAt !== null) return `the expected schema refuses the output at ${failedAt}`;
  return expectation.completion === undefined
    ? null
    : completionRefusal(expectation.completion, parsed.value);
}

function completionRefusal(
  completion: { readonly field: string; readonly value: JsonValue },
  output: JsonValue,
): string | null {
  const marked =
    isJsonObject(output) &&
    Object.hasOwn(output, completion.field) &&
    output[completion.field] === completion.value;
  return marked
    ? null
    : `the output's field ${JSON.stringify(completion.field)} does not say that it is complete`;
}

function reportRefusal(sections: readonly string[], text: string): string | null {
  const filled = filledSections(text);
  const missing = sections.filter((section) => !filled.has(sectionName(section)));
  if (missing.length > 0) return `the report has no section ${missing.map(quote).join(", ")}`;
  const empty = sections.filter((section) => filled.get(sectionName(section)) !== true);
  return empty.length > 0 ? `nothing stands in the report's section ${empty.map(quote).join(", ")}` : null;
}

function patchRefusal(intended: readonly string[], text: string, writes: PathScope | null): string | null {
  const patch = readPatchFiles(text);
  if (!patch.ok) return `the output is not a patch that can be applied: ${patch.detail}`;
  const outside = patch.files.flatMap((file, at) => (mayWrite(file, writes) ? [] : [at + 1]));
  if (outside.length > 0) {
    return `the patch reaches outside the paths that policy lets the run write, in its file ${outside.join(", ")}`;
  }
  const changed = new Set(patch.files.flatMap(({ from, path }) => [from, path]));
  const missing = intended.filter((path) => !changed.has(path));
  return missing.length > 0 ? `the patch does not change ${missing.map(quote).join(", ")}` : null;
}

function mayWrite({ from, path }: PatchFile, writes: PathScope | null): boolean {
  return [from, path].every((written) => {
    const normal = normalizeWorkspacePath(written);
    return normal !== null && writes !== null && writes.allows(normal) && !writes.forbids(normal);
  });
}

function quote(text: string): string {
  return JSON.stringify(text);
}
