// The text of the approvers file in, the public keys of people who sign for themselves out; refuses unknown keys, wrong
// values, and a name, key id or key that stands there twice, each with file, line and column.
import { z } from "zod";
import { createPublicKey } from "node:crypto";
import { problemLines, readDocument, schemaProblems, type DocumentProblem } from "../document/index.ts";
import { AirlockError } from "../fault/index.ts";
import type { Keyring, TrustedKey } from "../record/index.ts";
import { approverField } from "./approver-field.ts";

const approversDocumentSchema = z.strictObject({
  approvers: z.array(
    z.strictObject({
      name: z.string().min(1).max(128),
      keyId: z.string().regex(/^[a-z0-9-]{1,64}$/),
      publicKey: z.string().refine(isPublicKey, "it has to be an Ed25519 public key in PEM form"),
    }),
  ),
});

/** Throws KEYS_INVALID with every problem. */
export function parseApprovers(file: {
  readonly name: string;
  readonly text: string;
}): readonly TrustedKey[] {
  const source = readDocument(file, { code: "KEYS_INVALID", noun: "approvers file" });
  const parsed = approversDocumentSchema.safeParse(source.value);
  const problems = parsed.success ? doubled(parsed.data.approvers) : schemaProblems(source, parsed.error);
  if (problems.length > 0 || !parsed.success) {
    throw new AirlockError("KEYS_INVALID", problemLines(source, problems).join("\n"));
  }
  return parsed.data.approvers;
}

/** A keyring that trusts these people too. A key id that it knows already stays what it is: nobody takes over a console's. */
export function withApprovers(keyring: Keyring, approvers: readonly TrustedKey[]): Keyring {
  const { trusted } = keyring;
  const known = new Set(trusted.approver.map(({ keyId }) => keyId));
  const added = approvers.filter(({ keyId }) => !known.has(keyId));
  return { ...keyring, trusted: { ...trusted, approver: [...trusted.approver, ...added] } };
}

function doubled(
  approvers: readonly { readonly name: string; readonly keyId: string; readonly publicKey: string }[],
): readonly DocumentProblem[] {
  const ownKeys = approvers.map(({ publicKey }) => keyBytes(publicKey));
  return approvers.flatMap(({ name, keyId }, at) => {
    const earlier = approvers.slice(0, at);
    const path = ["approvers", at];
    if (earlier.some((other) => other.keyId === keyId)) {
      return [{ path: [...path, "keyId"], message: `keyId: ${keyId} stands here twice` }];
    }
    // one key in two names would make up a quorum of two by itself
    if (ownKeys.indexOf(ownKeys[at] ?? "") < at) {
      return [{ path: [...path, "publicKey"], message: `publicKey: that of ${name} stands here twice` }];
    }
    const same = earlier.some((other) => approverField(other.name) === approverField(name));
    return same ? [{ path: [...path, "name"], message: `name: ${name} stands here twice` }] : [];
  });
}

/** The key itself, however its text is broken into lines. */
function keyBytes(publicKey: string): string {
  return createPublicKey(publicKey).export({ type: "spki", format: "der" }).toString("base64");
}

function isPublicKey(text: string): boolean {
  try {
    return (
      text.startsWith("-----BEGIN PUBLIC KEY-----") && createPublicKey(text).asymmetricKeyType === "ed25519"
    );
  } catch {
    return false; // whatever it is, it is no key
  }
}
