// A file of YAML or JSON in, a checked spec with a real workspace path out; refuses every bad key, by file and key.
import { readFileSync } from "node:fs";
import path from "node:path";
import { AirlockError } from "@airlock/core/fault";
import { parseRunSpec, type RunSpec } from "@airlock/core/run";
import { parseDocument } from "yaml";
import { workspaceSource, type SourceFolder } from "./workspace-source.ts";

/** `remote`: paths of sources are another machine's. */
export function readSpecFile(file: string, folder: string, remote = false): RunSpec {
  const place = path.resolve(folder, file);
  return specFromText(readText(place), { file: place, folder: remote ? null : path.dirname(place) });
}

/** The same for a template whose workspace is filled in. */
export function readSpecTemplate(file: string, source: string): RunSpec {
  return specFromText(readText(file), { file, folder: path.dirname(file), source });
}

/** JSON is read as the YAML that it is, so both forms get errors with line and column. */
export function specFromText(
  text: string,
  place: { readonly file: string; readonly folder: SourceFolder; readonly source?: string },
): RunSpec {
  const document = parseDocument(text, { prettyErrors: true });
  const [broken] = document.errors;
  if (broken !== undefined) throw new AirlockError("SPEC_INVALID", `${place.file}: ${broken.message}`);
  const spec = parseRunSpec(document.toJS({ maxAliasCount: 0 }), place.file);
  if (spec.workspace === undefined) return spec;
  const where = `${place.file}\n  workspace.source`;
  const source = workspaceSource(place.source ?? spec.workspace.source, place.folder, where);
  return { ...spec, workspace: { ...spec.workspace, source } };
}

function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? String(cause.code) : "unknown error";
    throw new AirlockError("SPEC_INVALID", `${file} can't be read (${code})`, { cause });
  }
}
