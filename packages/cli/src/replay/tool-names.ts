import { parseDocument } from "yaml";
import { z } from "zod";

const toolListSchema = z.array(
  z.union([z.string().min(1), z.looseObject({ name: z.string().min(1) })], {
    error: "each entry has to be a tool's name or its manifest",
  }),
);

export type ToolNames =
  | { readonly ok: true; readonly names: ReadonlySet<string> }
  | { readonly ok: false; readonly problem: string };

/** A list of names or manifests, as YAML or the JSON that it includes. */
export function readToolNames(text: string): ToolNames {
  const document = parseDocument(text, { prettyErrors: true });
  const [broken] = document.errors;
  if (broken !== undefined) return { ok: false, problem: broken.message };
  const list = toolListSchema.safeParse(document.toJS({ maxAliasCount: 0 }));
  if (!list.success) {
    const [issue] = list.error.issues;
    const place = issue === undefined || issue.path.length === 0 ? "" : `entry ${issue.path.join(".")}: `;
    return { ok: false, problem: `${place}${issue?.message ?? "it is no list of tools"}` };
  }
  return {
    ok: true,
    names: new Set(list.data.map((entry) => (typeof entry === "string" ? entry : entry.name))),
  };
}
