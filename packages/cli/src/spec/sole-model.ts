import type { Route } from "@airlock/core/run";

/** The one model that a route takes, or null where its patterns leave a choice. */
export function soleModel({ models }: Pick<Route, "models">): string | null {
  const [model, ...others] = models;
  return model === undefined || others.length > 0 || /[*?[\]{}()!]/.test(model) ? null : model;
}
