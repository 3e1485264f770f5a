import { z } from "zod";
import { bodyHead, digest } from "./version.ts";

const asked = { ...bodyHead, requestedBy: z.string().min(1).max(128) };

/** What people ask of a run. `specDigest` is SHA-256 of the sealed spec that lies in the run's `:spec`. */
export const commandBodySchema = z.discriminatedUnion("kind", [
  z.strictObject({ ...asked, kind: z.literal("submit"), specDigest: digest }),
  z.strictObject({ ...asked, kind: z.literal("cancel"), reason: z.string().max(200) }),
]);
export type CommandBody = z.infer<typeof commandBodySchema>;
