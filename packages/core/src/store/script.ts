import { createHash } from "node:crypto";
import type { Redis } from "./redis.ts";

/** One Lua command: its keys and arguments are listed in the header of its text. */
export interface Script {
  readonly name: string;
  readonly lua: string;
}

const digests = new Map<string, string>();

/** Runs a script by its digest, sending the text only where the server doesn't know it. */
export async function runScript(
  redis: Redis,
  script: Script,
  input: { readonly keys: readonly string[]; readonly args: readonly (string | number)[] },
): Promise<unknown> {
  const rest = [...input.keys, ...input.args];
  try {
    return await redis.evalsha(digestOf(script), input.keys.length, ...rest);
  } catch (error) {
    if (!(error instanceof Error && error.message.startsWith("NOSCRIPT"))) throw error;
    return await redis.eval(script.lua, input.keys.length, ...rest);
  }
}

function digestOf(script: Script): string {
  const known = digests.get(script.name);
  if (known !== undefined) return known;
  const digest = createHash("sha1").update(script.lua).digest("hex");
  digests.set(script.name, digest);
  return digest;
}
