import { join } from "node:path";

/** Where programs are looked for, by the executor and inside the sandbox alike; never the child's own PATH. */
const SYSTEM_BIN_DIRS = ["/usr/local/bin", "/usr/bin", "/bin"] as const;

export function binDirs(toolchains: readonly string[]): readonly string[] {
  return [...toolchains.map((dir) => join(dir, "bin")), ...SYSTEM_BIN_DIRS];
}

/** Where a `prepare` step sees the cache that it may fill. */
export const CACHE_PLACE = "/cache";

/** The environment of a `prepare` step: the same, with the package managers' caches in the cache folder. */
export function prepareEnvironment(toolchains: readonly string[]): Readonly<Record<string, string>> {
  return {
    ...sandboxEnvironment(toolchains),
    PIP_CACHE_DIR: `${CACHE_PLACE}/pip`,
    XDG_CACHE_HOME: CACHE_PLACE,
    npm_config_cache: `${CACHE_PLACE}/npm`,
  };
}

/** The whole environment of a sandboxed program: built from nothing. */
export function sandboxEnvironment(toolchains: readonly string[]): Readonly<Record<string, string>> {
  return {
    CI: "1",
    GIT_CONFIG_COUNT: "3",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_CONFIG_KEY_0: "safe.directory",
    GIT_CONFIG_KEY_1: "core.hooksPath",
    GIT_CONFIG_KEY_2: "core.fsmonitor",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_VALUE_0: "*",
    GIT_CONFIG_VALUE_1: "/dev/null",
    GIT_CONFIG_VALUE_2: "false",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_PAGER: "cat",
    GIT_TERMINAL_PROMPT: "0",
    HOME: "/tmp",
    LANG: "C.UTF-8",
    PAGER: "cat",
    PATH: binDirs(toolchains).join(":"),
    TERM: "dumb",
  };
}
