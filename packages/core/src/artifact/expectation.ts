import { z } from "zod";
import { compileSchema } from "../verdict/index.ts";

const text = z.strictObject({ kind: z.literal("text") });

const json = z.strictObject({
  kind: z.literal("json"),
  /** JSON Schema 2020-12 of the whole output. */
  schema: z
    .record(z.string(), z.json())
    .superRefine((schema, context) => {
      try {
        compileSchema(schema);
      } catch (cause) {
        const reason = cause instanceof Error ? cause.message : String(cause);
        context.addIssue({ code: "custom", message: `not a usable JSON Schema 2020-12: ${reason}` });
      }
    })
    .optional(),
  /** The output counts only when this top-level field has this value. */
  completion: z
    .strictObject({
      field: z.string().min(1),
      value: z.union([z.string(), z.number(), z.boolean(), z.null()]),
    })
    .optional(),
});

const report = z.strictObject({
  kind: z.literal("report"),
  /** Markdown headings that must be there, each with something under it. */
  sections: z.array(z.string().trim().min(1)).min(1),
});

/** What a spec says that the run's final output must be. */
export const artifactExpectationSchema = z.discriminatedUnion("kind", [text, json, report], {
  error: "must be an object whose kind is text, json or report (patch and manifest are not supported yet)",
});

export type ArtifactExpectation = z.infer<typeof artifactExpectationSchema>;
export type ArtifactKind = ArtifactExpectation["kind"];
