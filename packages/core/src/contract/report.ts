import { z } from "zod";
import { bodyHead } from "./version.ts";

/**
 * What one contract scenario showed of a route. `covers` is the model, or the route's model pattern where the
 * operator said that one report covers all of it; only a report for the adapter version in use counts.
 */
export const reportBodySchema = z.strictObject({
  ...bodyHead,
  route: z.string(),
  adapter: z.string(),
  covers: z.string(),
  scenario: z.string(),
  passed: z.boolean(),
  /** false where the model did not do what the scenario is about: nothing was shown, for the route or against it */
  shown: z.boolean().default(true),
  observed: z.string().max(500),
});
export type ReportBody = z.infer<typeof reportBodySchema>;
