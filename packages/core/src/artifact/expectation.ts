import { z } from "zod";
import { assertNever } from "../fault/index.ts";
import type { JsonObject } from "../json/index.ts";
import { CHECK_FILES, CHECK_PATCH, normalizeWorkspacePath, type ToolManifest } from "../tool/index.ts";
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

const MAX_FILES = 256;

/** As the workspace names it: a path that could be read in two ways would be looked for in vain. */
const filePath = z
  .string()
  .refine(
    (path) => normalizeWorkspacePath(path) === path && path !== ".",
    "must be a file's path below the workspace root, in its plain form: no leading slash, no '.' and no '..'",
  );

const patch = z.strictObject({
  kind: z.literal("patch"),
  /** Files that the patch has to change; it may change others. */
  files: z.array(filePath).max(MAX_FILES).default([]),
  /** Whether the valid patch is applied to the workspace before the run completes. */
  apply: z.boolean().default(false),
});

const manifest = z.strictObject({
  kind: z.literal("manifest"),
  /** Files that have to be in the workspace when the run ends. */
  files: z
    .array(
      z.strictObject({
        path: filePath,
        minBytes: z.int().min(0).exactOptional(),
        sha256: z
          .string()
          .regex(/^[0-9a-f]{64}$/, "must be a SHA-256 in lower-case hex")
          .exactOptional(),
      }),
    )
    .min(1)
    .max(MAX_FILES)
    .refine(
      (files) => new Set(files.map(({ path }) => path)).size === files.length,
      "must not name a file twice",
    ),
});

/** What a spec says that the run's final output must be. */
export const artifactExpectationSchema = z.discriminatedUnion("kind", [text, json, report, patch, manifest], {
  error: "must be an object whose kind is text, json, report, patch or manifest",
});

export type ArtifactExpectation = z.infer<typeof artifactExpectationSchema>;
export type ArtifactKind = ArtifactExpectation["kind"];

/** What the validator itself asks the executor before it takes an output for the artifact. */
export interface ArtifactCheck {
  readonly manifest: ToolManifest;
  readonly args: JsonObject;
}

/** Null for the kinds that the output alone decides on. */
export function artifactCheck(expectation: ArtifactExpectation, outputText: string): ArtifactCheck | null {
  switch (expectation.kind) {
    case "text":
    case "json":
    case "report":
      return null;
    case "patch":
      return { manifest: CHECK_PATCH, args: { patch: outputText } };
    case "manifest":
      return { manifest: CHECK_FILES, args: { files: expectation.files } };
    default:
      return assertNever(expectation);
  }
}
