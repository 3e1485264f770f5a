import { z } from "zod";
import { parseItemKey } from "../record/index.ts";
import { nonceSchema } from "./ask.ts";
import { grantedWorkspaceSchema } from "./execution.ts";
import { bodyHead, digest } from "./version.ts";

/**
 * The validator's wish to know what a call would change in the run's tree, for those who are asked about it. It permits
 * nothing: an executor looks, writes down what it saw, and that is all.
 */
export const previewBodySchema = z.strictObject({
  ...bodyHead,
  itemKey: z.string().refine((text) => parseItemKey(text) !== null, "not an item key"),
  /** of the question that it belongs to */
  nonce: nonceSchema,
  tool: z.string(),
  manifestDigest: digest,
  argumentsDigest: digest,
  workspace: grantedWorkspaceSchema,
  pool: z.string(),
  /** nobody asks any more from here on, in milliseconds of Redis' clock */
  expiresAt: z.int().min(0),
});
export type PreviewBody = z.infer<typeof previewBodySchema>;

/** What an executor saw, sealed under the run's `:preview:`. Its text is content: only approvers may read it. */
export const previewSchema = z.strictObject({
  v: z.literal(1),
  nonce: nonceSchema,
  /** milliseconds of Redis' clock */
  seenAt: z.int().min(0),
  /** of the workspace then: calls that may change it count it up */
  epoch: z.int().min(0),
  /** a unified diff against the tree, its middle left out where it is long; null where the call would be refused */
  diff: z.string().nullable(),
  /** why it would be refused as things stood */
  refused: z.string().nullable(),
});
export type Preview = z.infer<typeof previewSchema>;
