import { canonicalJson, type JsonObject } from "../json/index.ts";
import { sha256Hex } from "../record/index.ts";

/**
 * What a grant and an approval are bound to: SHA-256 over the canonical JSON of the tool, its manifest's digest,
 * the arguments and the workspace.
 */
export function argumentsDigest(call: {
  readonly tool: string;
  readonly manifestDigest: string;
  readonly arguments: JsonObject;
  readonly workspace: {
    readonly source: string;
    readonly ref: string;
    readonly baseRevision?: string | undefined;
  };
}): string {
  const { tool, manifestDigest, arguments: args, workspace } = call;
  const { source, ref, baseRevision } = workspace;
  const place = { source, ref, ...(baseRevision === undefined ? {} : { baseRevision }) };
  return sha256Hex(canonicalJson(["airlock.call.v1", tool, manifestDigest, args, place]));
}
