import { openSealed, sealBody, sha256Hex, type Keyring } from "../record/index.ts";
import { AirlockError } from "../fault/index.ts";
import { runKeys, type Redis } from "../store/index.ts";
import { parseRunSpec, type RunSpec } from "./spec.ts";

interface Deps {
  readonly redis: Redis;
  readonly keyring: Keyring;
}

/** A spec whose command no validator ever takes goes by itself; admission lets it stay with its run. */
const UNCLAIMED_SPEC_MS = 7 * 86_400_000;

/** Writes the sealed spec of a new run and returns the digest that the submit command must name. */
export async function writeSpec(deps: Deps, run: string, spec: RunSpec): Promise<{ specDigest: string }> {
  const key = runKeys(run).spec;
  const sealed = sealBody(deps.keyring, { seal: "run", place: key }, JSON.stringify(spec));
  const written = await deps.redis.set(key, sealed, "PX", UNCLAIMED_SPEC_MS, "NX");
  if (written === null) throw new AirlockError("SPEC_INVALID", `run ${run} has a spec already`);
  return { specDigest: sha256Hex(sealed) };
}

/** Like `writeSpec`, but for a run whose spec may lie there already: then that one stays, and its digest is returned. */
export async function keepSpec(deps: Deps, run: string, spec: RunSpec): Promise<string> {
  const key = runKeys(run).spec;
  const sealed = sealBody(deps.keyring, { seal: "run", place: key }, JSON.stringify(spec));
  const kept = await deps.redis.set(key, sealed, "PX", UNCLAIMED_SPEC_MS, "NX", "GET");
  return sha256Hex(kept ?? sealed);
}

/** Opens the spec that a signed command, or the admitted run, names by its digest. */
export async function readSpec(deps: Deps, run: string, specDigest: string): Promise<RunSpec> {
  const key = runKeys(run).spec;
  const sealed = await deps.redis.get(key);
  if (sealed === null) throw new AirlockError("RUN_NOT_FOUND", `run ${run} has no spec`);
  if (sha256Hex(sealed) !== specDigest) {
    throw new AirlockError("RECORD_INVALID", `the spec of run ${run} is not the one that was submitted`);
  }
  const text = openSealed(deps.keyring, { seal: "run", place: key }, sealed);
  return parseRunSpec(JSON.parse(text), `the spec of run ${run}`);
}
