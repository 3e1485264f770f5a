import { manifestDigest, type ToolCatalog, type ToolManifest } from "@airlock/core/tool";

/** What `airlock tools --json` says of one tool. */
export interface ToolDocument {
  readonly name: string;
  readonly effect: ToolManifest["effect"];
  readonly origin: ToolManifest["origin"]["kind"];
  /** what runs pin: SHA-256 of the manifest */
  readonly digest: string;
  readonly limits: ToolManifest["limits"];
}

export function listTools(catalog: ToolCatalog): readonly ToolDocument[] {
  return catalog.names().flatMap((name) => {
    const manifest = catalog.get(name);
    if (manifest === undefined) return [];
    const { effect, origin, limits } = manifest;
    return [{ name, effect, origin: origin.kind, digest: manifestDigest(manifest), limits }];
  });
}
