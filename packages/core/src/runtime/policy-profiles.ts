import { existsSync, statSync } from "node:fs";
import path from "node:path";
import { AirlockError } from "../fault/index.ts";
import { loadPolicy, type LoadOptions, type Policy } from "../policy/index.ts";
import type { ToolCatalog } from "../tool/index.ts";
import { readFolder, readText } from "./files.ts";

/** What a run names: the policy that acts, and the one that is only compared with it. */
export interface PolicyProfile {
  readonly enforced: Policy;
  readonly shadow: Policy | null;
}

export type PolicyProfiles = ReadonlyMap<string, PolicyProfile>;

/** The profiles as they are now; a reload changes what the same name gives. */
export type Policies = Pick<PolicyProfiles, "get" | "keys">;

const ENDING = ".yaml";
const SHADOW = ".shadow.yaml";

/**
 * Every `<profile>.yaml` of a folder, with the `<profile>.shadow.yaml` beside it. One that doesn't load stops the
 * start; an empty folder does, too. Folders below hold what the profiles extend.
 */
export function loadPolicyProfiles(folder: string, catalog?: ToolCatalog): PolicyProfiles {
  const names = readFolder(folder, "POLICY_INVALID").filter((name) => name.endsWith(ENDING));
  const profiles = names.filter((name) => !name.endsWith(SHADOW)).map((name) => path.basename(name, ENDING));
  if (profiles.length === 0) throw new AirlockError("POLICY_INVALID", `${folder} holds no .yaml file`);
  const shadows = new Set(
    names.filter((name) => name.endsWith(SHADOW)).map((name) => path.basename(name, SHADOW)),
  );
  const alone = [...shadows].find((name) => !profiles.includes(name));
  if (alone !== undefined) {
    const file = path.join(folder, `${alone}${SHADOW}`);
    throw new AirlockError(
      "POLICY_INVALID",
      `${file}:1:1: there is no ${alone}${ENDING} that it could shadow`,
    );
  }
  return new Map(
    profiles.map((name) => {
      const enforced = loadPolicyFile(path.join(folder, `${name}${ENDING}`), { catalog, mode: "enforce" });
      const shadow = shadows.has(name)
        ? loadPolicyFile(path.join(folder, `${name}${SHADOW}`), { catalog, mode: "shadow" })
        : null;
      return [name, { enforced, shadow }];
    }),
  );
}

/** Throws POLICY_INVALID, also for a file that anybody may write. */
export function loadPolicyFile(file: string, options: Pick<LoadOptions, "catalog" | "mode"> = {}): Policy {
  return loadPolicy(readPolicy(file), {
    read: (base, from) => {
      const name = path.join(path.dirname(from), base);
      return existsSync(name) ? readPolicy(name) : null;
    },
    ...options,
  });
}

const WRITABLE_BY_ALL = 0o002;
const STICKY = 0o1000;

/** An agent's programs run as another user: what all may write, they may write where a sandbox has a hole. */
function readPolicy(file: string): { readonly name: string; readonly text: string } {
  const text = readText(file, "POLICY_INVALID");
  const folder = statSync(path.dirname(file)).mode;
  const open = statSync(file).mode & WRITABLE_BY_ALL;
  const replaceable = (folder & WRITABLE_BY_ALL) !== 0 && (folder & STICKY) === 0;
  if (open !== 0 || replaceable) {
    const place = open !== 0 ? file : path.dirname(file);
    throw new AirlockError("POLICY_INVALID", `${place} may be written by anybody; run: chmod o-w ${place}`);
  }
  return { name: file, text };
}
