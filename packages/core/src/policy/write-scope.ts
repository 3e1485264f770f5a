import type { PathScope, Policy } from "./policy.ts";

/** What all files of a policy together let a run write. */
export function writeScope({ layers }: Policy): PathScope {
  const scopes = layers.flatMap(({ paths }) => (paths.write === null ? [] : [paths.write]));
  return {
    allows: (path) => scopes.every((scope) => scope.allows(path)),
    forbids: (path) => scopes.some((scope) => scope.forbids(path)),
    empty: scopes.some((scope) => scope.empty),
  };
}
