import { readDocument, type DocumentSource } from "../document/index.ts";

export type PolicySource = DocumentSource;

/** `name` is what problems call the file. */
export interface PolicyFile {
  readonly name: string;
  readonly text: string;
}

/** Throws POLICY_INVALID with every place. */
export function readPolicyDocument(file: PolicyFile): PolicySource {
  return readDocument(file, { code: "POLICY_INVALID", noun: "policy" });
}
