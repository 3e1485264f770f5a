import type { Adapter } from "./adapter.ts";
import type { Family } from "./family.ts";
import { responsesAdapter } from "./responses/index.ts";

/** The registry of wire families: a new family is a folder and a line here. */
export const ADAPTERS = {
  responses: responsesAdapter,
} as const satisfies Record<Family, Adapter>;
