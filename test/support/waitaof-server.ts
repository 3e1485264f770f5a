import { execFileSync } from "node:child_process";

const PROGRAMS = [process.env["AIRLOCK_TEST_REDIS_SERVER"], "redis-server", "valkey-server"];

/** A server that knows WAITAOF (Redis 7.2, any Valkey): the one that AIRLOCK_TEST_REDIS_SERVER names, or one on the PATH. */
export function waitaofServer(): string | null {
  return PROGRAMS.find((program) => program !== undefined && knowsWaitaof(program)) ?? null;
}

function knowsWaitaof(program: string): boolean {
  try {
    const version = execFileSync(program, ["--version"], { encoding: "utf8" });
    const [, major = "0", minor = "0"] = /v=(\d+)\.(\d+)/.exec(version) ?? [];
    return version.startsWith("Valkey") || Number(major) > 7 || (Number(major) === 7 && Number(minor) >= 2);
  } catch {
    return false;
  }
}
