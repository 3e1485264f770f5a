/** What a person or a program may do; docs/console.md shows this table, a test compares the two. */
export const ROLES = {
  viewer: { includes: [], may: "see runs, timelines, routes, executors and that something waits" },
  submitter: { includes: [], may: "submit runs, and see and cancel those" },
  approver: { includes: ["viewer"], may: "see arguments and diffs, and approve or deny" },
  operator: {
    includes: ["viewer", "submitter"],
    may: "cancel, requeue, abandon, resolve and stop anything, and read the audit",
  },
} as const satisfies Record<string, { readonly includes: readonly string[]; readonly may: string }>;

export type ConsoleRole = keyof typeof ROLES;
export const ROLE_NAMES = [
  "viewer",
  "submitter",
  "approver",
  "operator",
] as const satisfies readonly ConsoleRole[];

/** Who asks, and what they may. */
export interface Principal {
  readonly name: string;
  /** with all that these include */
  readonly roles: ReadonlySet<ConsoleRole>;
  readonly via: "session" | "token" | "proxy";
}

/** The named roles and those that they include. */
export function withIncluded(names: readonly ConsoleRole[]): ReadonlySet<ConsoleRole> {
  return new Set(names.flatMap((name): readonly ConsoleRole[] => [name, ...ROLES[name].includes]));
}
