import type { PathScope, Policy } from "./policy.ts";

/** What all files of a policy together let a run write. */
export function writeScope(policy: Policy): PathScope {
  return scopeOf(policy, "write");
}

/** What all files of a policy together let a run read. */
export function readScope(policy: Policy): PathScope {
  return scopeOf(policy, "read");
}

function scopeOf({ layers }: Policy, use: "read" | "write"): PathScope {
  const scopes = layers.flatMap(({ paths }) => paths[use] ?? []);
  return {
    allows: (path) => scopes.every((scope) => scope.allows(path)),
    forbids: (path) => scopes.some((scope) => scope.forbids(path)),
    empty: scopes.some((scope) => scope.empty),
  };
}
