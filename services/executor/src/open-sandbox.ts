// Takes the settings, gives the sandbox that every command runs in and what was shown to hold of it; refuses settings that
// switch it off by half. Without a sandbox (null) the executor still serves what starts no program.
import path from "node:path";
import { AirlockError } from "@airlock/core/fault";
import { errorFields, type ServiceContext } from "@airlock/core/runtime";
import type { ExecutorConfig } from "./config.ts";
import type { Deps } from "./deps.ts";
import {
  bwrapAdvice,
  countedBackend,
  createBwrapBackend,
  createNoneBackend,
  lacks,
  type SandboxBackend,
} from "./sandbox/index.ts";
import type { ServiceUser } from "./workspace/index.ts";

export async function openSandbox(
  { log, metrics, signal }: Pick<ServiceContext, "log" | "metrics" | "signal">,
  config: ExecutorConfig,
  serviceUser: ServiceUser | null,
): Promise<Deps["sandbox"]> {
  refuseHalfSwitchedOff(config);
  try {
    const backend = await createBackend({ log }, config, serviceUser);
    const probe = await backend.probe(signal);
    const advice = backend.name === "bwrap" ? await bwrapAdvice(config.bwrap) : null;
    const detail = [...Object.values(probe.detail), ...(advice === null ? [] : [advice])].join("; ");
    const state = backend.name === "none" ? "none" : [...probe.held].join(" ");
    log.write(detail === "" ? "info" : "warn", "sandbox_probed", { state, detail });
    return { backend: countedBackend(backend, metrics), probe }; // what the probe ran is no call
  } catch (error) {
    if (error instanceof AirlockError && error.code === "CONFIG_INVALID") throw error;
    log.write("warn", "sandbox_probed", { state: "none", ...errorFields(error) });
    return null;
  }
}

/** One setting alone is a mistake of either kind, and is never guessed. */
function refuseHalfSwitchedOff({ sandbox, allowUnsandboxed }: ExecutorConfig): void {
  if (sandbox === "none" && allowUnsandboxed !== "true") {
    throw new AirlockError(
      "CONFIG_INVALID",
      "AIRLOCK_SANDBOX=none also needs AIRLOCK_ALLOW_UNSANDBOXED=true; or leave it out, and commands are sandboxed",
    );
  }
  if (sandbox !== "none" && allowUnsandboxed === "true") {
    throw new AirlockError(
      "CONFIG_INVALID",
      "AIRLOCK_ALLOW_UNSANDBOXED=true means something only beside AIRLOCK_SANDBOX=none; leave it out",
    );
  }
}

function createBackend(
  { log }: Pick<ServiceContext, "log">,
  config: ExecutorConfig,
  serviceUser: ServiceUser | null,
): Promise<SandboxBackend> {
  const { bwrap, toolchains, volume } = config;
  const shared = { serviceUser, effectiveUid: process.geteuid?.() ?? 0, toolchains };
  if (config.sandbox === "none") {
    const warn = (name: string): void => log.write("warn", "unsandboxed_call", { detail: name });
    return Promise.resolve(createNoneBackend({ ...shared, warn }));
  }
  const own = config.cgroup === "" ? {} : { cgroup: config.cgroup };
  return createBwrapBackend({
    ...shared,
    ...own,
    bwrapPath: bwrap,
    stateDir: path.resolve(volume, "sandbox"),
  });
}

export function sandboxCheck(sandbox: Deps["sandbox"]) {
  if (sandbox?.backend.name === "none") {
    return { name: "sandbox", ok: true, detail: "commands run without a sandbox (AIRLOCK_SANDBOX=none)" };
  }
  const missing = lacks("command", sandbox);
  // Tools that start no program still work, so this doesn't take the executor out of service.
  return missing.length === 0
    ? { name: "sandbox", ok: true }
    : { name: "sandbox", ok: true, detail: `commands are refused: ${missing.join(", ")} not shown to hold` };
}
