/**
 * `never`: the same input fails again. `later`: the outside world may recover. `pause`: a person has to act.
 */
export type RetryClass = "never" | "later" | "pause";

/** Every error that a process can end or answer with. The table in docs/errors.md is compared with it. */
export const ERRORS = {
  CONFIG_INVALID: { retry: "never", message: "the configuration is not usable" },
  CONSOLE_REFUSED: { retry: "never", message: "the console refused" },
  CONSOLE_UNAVAILABLE: { retry: "later", message: "the console can't be asked" },
  KEYS_INVALID: { retry: "never", message: "a keyring is not usable" },
  POLICY_INVALID: { retry: "never", message: "a policy is not usable" },
  PORT_IN_USE: { retry: "never", message: "a port is taken" },
  RECORD_INVALID: { retry: "never", message: "a signed record was refused" },
  REDIS_UNAVAILABLE: { retry: "later", message: "Redis does not answer" },
  REPOSITORIES_INVALID: { retry: "never", message: "the repositories file is not usable" },
  ROUTES_INVALID: { retry: "never", message: "the routes file is not usable" },
  RUN_NOT_FOUND: { retry: "never", message: "there is no such run" },
  SCHEMA_VERSION: { retry: "never", message: "a message has a version that this build does not read" },
  SEAL_INVALID: { retry: "never", message: "a sealed body did not open" },
  SPEC_INVALID: { retry: "never", message: "the spec is not usable" },
  SYSTEM_PACKAGE_MISSING: { retry: "never", message: "a program is missing on this machine" },
  TOOLS_INVALID: { retry: "never", message: "a tool manifest is not usable" },
  USAGE: { retry: "never", message: "the command line is not usable" },
  USERS_INVALID: { retry: "never", message: "the users file is not usable" },
  WEBHOOKS_INVALID: { retry: "never", message: "the webhooks file is not usable" },
  WORKSPACE_UNAVAILABLE: { retry: "never", message: "the workspace can't be prepared" },
  WRITE_AHEAD_CORRUPT: { retry: "pause", message: "a write-ahead log is not as it was written" },
} as const satisfies Record<string, { readonly retry: RetryClass; readonly message: string }>;

export type ErrorCode = keyof typeof ERRORS;
