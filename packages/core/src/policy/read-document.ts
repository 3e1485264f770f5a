import { readDocument, type DocumentPath, type DocumentSource } from "../document/index.ts";

export type { DocumentPath };
export type PolicySource = DocumentSource;

/** Throws POLICY_INVALID with every place. */
export function readPolicyDocument(file: { readonly name: string; readonly text: string }): PolicySource {
  return readDocument(file, { code: "POLICY_INVALID", noun: "policy" });
}
