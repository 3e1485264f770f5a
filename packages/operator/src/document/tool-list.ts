import { z } from "zod";
import { manifestDigest, type ToolCatalog } from "@airlock/core/tool";

/** What `airlock tools --json` says of one tool. */
export const toolDocumentSchema = z.strictObject({
  name: z.string(),
  effect: z.enum(["read", "idempotent", "mutating"]),
  origin: z.enum(["builtin", "operator", "mcp"]),
  /** what runs pin: SHA-256 of the manifest */
  digest: z.string(),
  limits: z.strictObject({ timeoutMs: z.int(), outputBytes: z.int(), argumentBytes: z.int() }),
});
export type ToolDocument = Readonly<z.infer<typeof toolDocumentSchema>>;

export function listTools(catalog: ToolCatalog): readonly ToolDocument[] {
  return catalog.names().flatMap((name) => {
    const manifest = catalog.get(name);
    if (manifest === undefined) return [];
    const { effect, origin, limits } = manifest;
    return [{ name, effect, origin: origin.kind, digest: manifestDigest(manifest), limits }];
  });
}
