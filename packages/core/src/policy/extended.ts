import { sha256Hex } from "../record/index.ts";
import type { PolicyDocument } from "./document-schema.ts";
import type { Policy } from "./policy.ts";
import type { Problem } from "./problems.ts";
import type { PolicyFile } from "./read-document.ts";

const DEEPEST = 8;

interface Loading {
  readonly read: (path: string) => PolicyFile | null;
  readonly load: (base: PolicyFile) => Policy;
  /** the names of the files that led here, the extending one last */
  readonly chain: readonly string[];
}

/** The policies that a document extends, each the very file that it pins; a base's own problems are thrown. */
export function loadBases(
  document: PolicyDocument,
  { read, load, chain }: Loading,
): { readonly bases: readonly Policy[]; readonly problems: readonly Problem[] } {
  const bases: Policy[] = [];
  const problems: Problem[] = [];
  for (const [index, { path, sha256 }] of (document.extends ?? []).entries()) {
    const at = ["extends", index] as const;
    const file = read(path);
    const message = file === null ? `there is no file ${path}` : fileProblem(file, { path, chain });
    const sum = file === null ? "" : sha256Hex(file.text);
    if (file === null || message !== null) problems.push({ path: [...at, "path"], message: message ?? "" });
    else if (sum !== sha256)
      problems.push({
        path: [...at, "sha256"],
        message: `${path} is another file than the pinned one: it has sha256 ${sum}`,
      });
    else {
      const base = load(file);
      if (base.mode === "enforce") bases.push(base);
      else
        problems.push({
          path: [...at, "path"],
          message: `${path} is in mode shadow; only an enforced policy can be extended`,
        });
    }
  }
  return { bases, problems };
}

function fileProblem(
  file: PolicyFile,
  { path, chain }: { readonly path: string; readonly chain: readonly string[] },
): string | null {
  if (chain.includes(file.name)) return `${path} leads back to this file: a policy can't extend itself`;
  return chain.length >= DEEPEST ? `${path} is the ${DEEPEST}th file in a row; that is too deep` : null;
}
