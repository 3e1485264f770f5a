// Facts about a machine in, one line per check out: whether it holds, and what mends it.
import type { Facts, Outcome, RedisFact } from "./facts.ts";

export interface Check {
  readonly name: string;
  readonly status: "ok" | "warn" | "fail";
  readonly found: string;
  /** null where there is nothing to mend */
  readonly fix: string | null;
}

const OLDEST_NODE = [20, 19] as const;
const OLDEST_REDIS = [7, 0] as const;
const INSTALL = "Debian, Ubuntu: apt-get install";

export function checkMachine(facts: Facts): readonly Check[] {
  return [
    nodeCheck(facts),
    gitCheck(facts),
    ...redisChecks(facts.redis, facts.redisProgram),
    flockCheck(facts),
    coreCheck(facts),
    bwrapCheck(facts),
    namespaceCheck(facts),
    sandboxCheck(facts),
    keysCheck(facts),
    apiKeyCheck(facts),
    loads("settings", facts.settings, "correct the variable in the environment"),
    loads("routes", facts.routes, "correct the file, or name another with AIRLOCK_ROUTES"),
    loads("tools", facts.tools, "correct the file, or name another with AIRLOCK_TOOLS"),
    loads("repositories", facts.repositories, "correct the file, or name another with AIRLOCK_REPOSITORIES"),
    loads("policies", facts.policies, "correct the file, or name another folder with AIRLOCK_POLICIES"),
  ];
}

function nodeCheck({ nodeVersion, platform }: Facts): Check {
  const found = `Node.js ${nodeVersion} on ${platform}`;
  if (platform !== "linux") return fail("node", found, "Airlock's sandbox needs Linux");
  return atLeast(nodeVersion, OLDEST_NODE)
    ? ok("node", found)
    : fail("node", found, `install Node.js ${OLDEST_NODE.join(".")} or later`);
}

function gitCheck({ gitVersion }: Facts): Check {
  return gitVersion === null ? fail("git", "not on the PATH", `${INSTALL} git`) : ok("git", gitVersion);
}

function redisChecks(redis: RedisFact, program: string | null): readonly Check[] {
  switch (redis.kind) {
    case "unnamed":
      return [
        program === null
          ? fail("redis", "no REDIS_URL, and no redis-server or valkey-server", `${INSTALL} redis-server`)
          : ok("redis", `not running; \`airlock up\` would start ${program}`),
      ];
    case "silent":
      return [fail("redis", redis.detail, "start it, or correct REDIS_URL")];
    case "answers":
      return [
        atLeast(redis.version, OLDEST_REDIS)
          ? ok("redis", `version ${redis.version} at ${redis.place}`)
          : fail("redis", `version ${redis.version}`, `use Redis ${OLDEST_REDIS.join(".")} or later`),
        durabilityCheck(redis),
        poolsCheck(redis.pools),
      ];
  }
}

function durabilityCheck({ keeps, relaxed }: Extract<RedisFact, { kind: "answers" }>): Check {
  const name = "durability";
  if (relaxed) return warn(name, keeps.detail, "unset AIRLOCK_DURABILITY where calls must not be forgotten");
  return keeps.holds
    ? ok(name, keeps.detail)
    : fail(name, `calls with effects are refused: ${keeps.detail}`, "change the configuration of Redis");
}

function flockCheck({ flock }: Facts): Check {
  return flock === null ? fail("flock", "not on the PATH", `${INSTALL} util-linux`) : ok("flock", flock);
}

function coreCheck({ coreDumps: { own, prlimit } }: Facts): Check {
  const name = "core dumps";
  if (own) return ok(name, "none: the limit is 0 here");
  if (prlimit !== null) return ok(name, `none: each service sets its limit to 0 with ${prlimit}`);
  return warn(name, "a crash may leave a process' memory behind", `ulimit -c 0, or ${INSTALL} util-linux`);
}

function poolsCheck(pools: Extract<RedisFact, { kind: "answers" }>["pools"]): Check {
  if (pools.length === 0) {
    return warn("pools", "none has a live executor", "start an executor: calls wait until one is there");
  }
  const found = pools.map(({ name, live, runs }) => `${name}: executors ${live}, runs ${runs}`);
  return ok("pools", found.join("; "));
}

function bwrapCheck({ bwrap }: Facts): Check {
  return bwrap.version === null
    ? fail("bubblewrap", `nothing usable at ${bwrap.path}`, `${INSTALL} bubblewrap, or set AIRLOCK_BWRAP`)
    : ok("bubblewrap", `${bwrap.version} at ${bwrap.path}`);
}

function namespaceCheck({ userNamespaces }: Facts): Check {
  const { allowed, max, appArmorRestricts } = userNamespaces;
  const name = "user namespaces";
  if (allowed === false) {
    return fail(name, "switched off", "sysctl kernel.unprivileged_userns_clone=1");
  }
  if (max === 0) return fail(name, "none allowed", "sysctl user.max_user_namespaces=10000");
  if (appArmorRestricts) {
    return warn(
      name,
      "restricted by AppArmor",
      "if the sandbox fails: give bwrap an AppArmor profile that allows userns",
    );
  }
  return ok(name, max === null ? "allowed" : `up to ${max}`);
}

function sandboxCheck({ sandbox }: Facts): Check {
  if (sandbox.ok) return ok("sandbox", sandbox.detail);
  const fix =
    "without a sandbox, commands are refused; in a container, allow user namespaces and an unmasked /proc";
  return fail("sandbox", sandbox.detail, fix);
}

function keysCheck({ keys }: Facts): Check {
  switch (keys.kind) {
    case "usable":
      return ok("keys", "a keyring for each role");
    case "absent":
      return ok("keys", "none yet; `airlock up` makes them");
    case "unusable":
      return fail("keys", keys.detail, "put the file back, or start with another --data");
  }
}

function apiKeyCheck({ apiKeySet }: Facts): Check {
  return apiKeySet
    ? ok("api key", "COMETAPI_KEY is set")
    : warn("api key", "COMETAPI_KEY is not set", "set it to use CometAPI; the replay gateway needs none");
}

function loads(name: string, { ok: loaded, detail }: Outcome, fix: string): Check {
  return loaded ? ok(name, detail) : fail(name, detail, fix);
}

function ok(name: string, found: string): Check {
  return { name, status: "ok", found, fix: null };
}
function warn(name: string, found: string, fix: string): Check {
  return { name, status: "warn", found, fix };
}
function fail(name: string, found: string, fix: string): Check {
  return { name, status: "fail", found, fix };
}

/** Compares `major.minor` only. */
function atLeast(version: string, [major, minor]: readonly [number, number]): boolean {
  const [ownMajor = 0, ownMinor = 0] = version.replace(/^v/, "").split(".").map(Number);
  return ownMajor > major || (ownMajor === major && ownMinor >= minor);
}
