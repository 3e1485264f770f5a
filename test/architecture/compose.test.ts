import { dirname } from "node:path";
import { ROLES } from "@airlock/core/record";
import { REDIS_LOGINS } from "@airlock/core/acl";
import { parseRoutes, parseRunSpec } from "@airlock/core/run";
import { loadPolicyProfiles, loadTools, SERVICES, SETTINGS } from "@airlock/core/runtime";
import { readConfig } from "@airlock/replay/config";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { routesText } from "../../packages/cli/src/local/index.ts";
import { dockerTargets, mountsOf, readCompose } from "./compose-file.ts";
import { readText, ROOT } from "./source-tree.ts";

const compose = readCompose();
const targets = dockerTargets();

/** Which of the settings' readers each container is. */
const READERS: Readonly<Record<string, string>> = {
  streamer: "streamer",
  validator: "validator",
  executor: "executor",
  console: "console",
  gateway: "gateway",
  cli: "cli",
  demo: "cli",
};

const settings = Object.values(SETTINGS).map(({ env, readers, fallback, schema }) => {
  const names: readonly string[] = readers;
  return { env, readers: names, fallback, schema };
});

/** Those that no person reaches. */
const PIPELINE = SERVICES.filter((name) => name !== "console");

function serviceOf(name: string) {
  const service = compose.services[name];
  if (service === undefined) throw new Error(`docker-compose.yml has no service ${name}`);
  return service;
}

describe("docker-compose.yml", () => {
  test("has the services of the code, the three tools, Redis, and the makers of its users and of keys", () => {
    const expected = [...SERVICES, "redis", "redis-users", "keys", "gateway", "cli", "users", "demo"];
    expect(Object.keys(compose.services).toSorted()).toEqual(expected.toSorted());
  });

  test("builds every service from the target of its name", () => {
    const named = [...SERVICES, "gateway", "cli"];
    expect(named.map((name) => serviceOf(name).build)).toEqual(
      named.map((name) => ({ context: ".", target: name })),
    );
    const unknown = Object.values(compose.services).flatMap(({ build }) =>
      build === undefined || targets.has(build.target) ? [] : [build.target],
    );
    expect(unknown).toEqual([]);
  });

  test("starts nothing but the services, Redis, its users and the keys without a profile", () => {
    const started = Object.entries(compose.services).flatMap(([name, { profiles }]) =>
      profiles === undefined ? [name] : [],
    );
    expect(started.toSorted()).toEqual([...SERVICES, "keys", "redis", "redis-users"].toSorted());
  });

  test.each(Object.keys(READERS))(
    "sets for %s only variables that it reads, with values that they take",
    (name) => {
      const environment = serviceOf(name).environment ?? {};
      const wrong = Object.entries(environment).flatMap(([variable, value]) => {
        const setting = settings.find(({ env }) => env === variable);
        if (setting?.readers.includes(READERS[name] ?? "") !== true) return [`${variable} is not read`];
        return setting.schema.safeParse(value).success ? [] : [`${variable} does not take ${value}`];
      });
      expect(wrong).toEqual([]);
    },
  );

  test.each(Object.keys(READERS))("sets for %s every variable that has no default", (name) => {
    const required = settings.filter(
      ({ readers, fallback }) => fallback === null && readers.includes(READERS[name] ?? ""),
    );
    const environment = serviceOf(name).environment ?? {};
    expect(required.flatMap(({ env }) => (environment[env] === undefined ? [env] : []))).toEqual([]);
  });

  test.each(Object.keys(compose.services))("locks %s down", (name) => {
    const service = serviceOf(name);
    expect(service).toMatchObject({ read_only: true, cap_drop: ["ALL"] });
    expect(service.security_opt).toContain("no-new-privileges:true");
    const forbidden = ["container_name", "privileged", "cap_add", "pid", "ipc", "userns_mode"];
    expect(Object.keys(service).filter((key) => forbidden.includes(key))).toEqual([]);
    expect(mountsOf(service).filter(({ source }) => source.includes("docker.sock"))).toEqual([]);
  });

  test("opens one port, that of the console, on this machine alone", () => {
    const opened = Object.entries(compose.services).flatMap(([name, { ports }]) =>
      ports === undefined ? [] : [{ name, ports }],
    );
    const port = serviceOf("console").environment?.[SETTINGS.consolePort.env];
    expect(opened).toEqual([{ name: "console", ports: [`127.0.0.1:${port}:${port}`] }]);
    expect(serviceOf("console").environment?.[SETTINGS.consoleOrigin.env]).toBe(`http://127.0.0.1:${port}`);
  });

  test("declares every named volume and network that a service uses", () => {
    const services = Object.values(compose.services);
    const volumes = services
      .flatMap(mountsOf)
      .flatMap(({ source }) => (/^[./]/.test(source) ? [] : [source]));
    expect([...new Set(volumes)].toSorted()).toEqual(Object.keys(compose.volumes).toSorted());
    const networks = services.flatMap((service) => service.networks ?? []);
    expect([...new Set(networks)].toSorted()).toEqual(Object.keys(compose.networks).toSorted());
  });
});

describe("the gateway's settings", () => {
  const own = settings.filter(({ readers }) => readers.includes("gateway"));
  const environment = Object.fromEntries(own.map(({ env, fallback }) => [env, fallback ?? "fixtures"]));

  test("are the ones that the gateway reads, with its defaults", () => {
    const required = Object.fromEntries(
      own.flatMap(({ env, fallback }) => (fallback === null ? [[env, "fixtures"]] : [])),
    );
    expect(readConfig(environment)).toEqual(readConfig(required));
  });

  test("are the only ones that it takes", () => {
    expect(() => readConfig({ ...environment, AIRLOCK_GATEWAY_OTHER: "1" })).toThrow("AIRLOCK_GATEWAY_OTHER");
    expect(own.map(({ env }) => env).toSorted()).toEqual(
      ["DIRECTORY", "HOST", "MISBEHAVE", "PORT"].map((name) => `AIRLOCK_GATEWAY_${name}`),
    );
  });
});

describe("keys", () => {
  test("of the console are its own and the approver's, read-only, where its settings point", () => {
    const service = serviceOf("console");
    const file = (name: "keyring" | "approverKeyring") => service.environment?.[SETTINGS[name].env] ?? "";
    expect(mountsOf(service).filter(({ source }) => source.startsWith("keys-"))).toEqual([
      { source: "keys-console", target: dirname(file("keyring")), readOnly: true },
      { source: "keys-approver", target: dirname(file("approverKeyring")), readOnly: true },
    ]);
  });

  test.each(PIPELINE)("of %s are the only ones it sees, read-only, where AIRLOCK_KEYRING points", (name) => {
    const service = serviceOf(name);
    const file = service.environment?.[SETTINGS.keyring.env] ?? "";
    expect(file.endsWith(`/${name}.json`)).toBe(true);
    expect(mountsOf(service).filter(({ source }) => source.startsWith("keys-"))).toEqual([
      { source: `keys-${name}`, target: dirname(file), readOnly: true },
    ]);
  });

  test.each(["cli", "demo"])(
    "of the client are the only ones that %s sees, below its data folder",
    (name) => {
      const service = serviceOf(name);
      expect(mountsOf(service).filter(({ source }) => source.startsWith("keys-"))).toEqual([
        { source: "keys-client", target: `${service.environment?.[SETTINGS.data.env]}/keys`, readOnly: true },
      ]);
    },
  );

  test("are made for every role, each into a volume of its own, without a network", () => {
    const { network_mode, command, volumes } = serviceOf("keys");
    expect({ network_mode, command, volumes }).toEqual({
      network_mode: "none",
      command: ["keys", "create", "/keys"],
      volumes: ROLES.map((role) => `keys-${role}:/keys/${role}`),
    });
  });

  test("of CometAPI reach the streamer alone", () => {
    const holders = Object.entries(compose.services).flatMap(([name, { environment = {} }]) =>
      SETTINGS.cometapiKey.env in environment ? [name] : [],
    );
    expect(holders).toEqual(["streamer"]);
  });
});

describe("places and settings that have to agree", () => {
  test("the executor's volume is AIRLOCK_VOLUME, in compose and in the image, and nobody else's", () => {
    const volume = serviceOf("executor").environment?.[SETTINGS.volume.env] ?? "";
    const mounts = Object.entries(compose.services).flatMap(([name, service]) =>
      mountsOf(service).flatMap((mount) => (mount.source === "workspaces" ? [{ name, ...mount }] : [])),
    );
    expect(mounts).toEqual([{ name: "executor", source: "workspaces", target: volume, readOnly: false }]);
    expect(targets.get("executor")).toContain(`VOLUME ["${volume}"]`);
  });

  test("validator and executor have one list of sources and one folder of policies", () => {
    const shared = [SETTINGS.sources.env, SETTINGS.policies.env];
    const valuesOf = (name: string) => shared.map((variable) => serviceOf(name).environment?.[variable]);
    expect(valuesOf("executor")).toEqual(valuesOf("validator"));
    expect(valuesOf("executor")).not.toContain(undefined);
  });

  test.each([
    ["streamer", SETTINGS.routes.env, "./config/routes.yaml"],
    ["validator", SETTINGS.routes.env, "./config/routes.yaml"],
    ["cli", SETTINGS.routes.env, "./config/routes.yaml"],
    ["validator", SETTINGS.policies.env, "./config/policies"],
    ["executor", SETTINGS.policies.env, "./config/policies"],
    ["cli", SETTINGS.policies.env, "./config/policies"],
    ["streamer", SETTINGS.tools.env, "./config/tools"],
    ["validator", SETTINGS.tools.env, "./config/tools"],
    ["executor", SETTINGS.tools.env, "./config/tools"],
    ["cli", SETTINGS.tools.env, "./config/tools"],
    ["executor", SETTINGS.sources.env, "sources"],
  ])("%s finds at %s what is mounted from %s, read-only", (name, variable, source) => {
    const target = serviceOf(name).environment?.[variable];
    expect(mountsOf(serviceOf(name))).toContainEqual({ source, target, readOnly: true });
  });

  test.each(SERVICES)("the health check of %s asks the port of AIRLOCK_HEALTH_PORT for /ready", (name) => {
    const port = serviceOf(name).environment?.[SETTINGS.healthPort.env];
    expect(serviceOf(name).healthcheck?.test.at(-1)).toContain(`http://127.0.0.1:${port}/ready`);
  });

  test("Redis keeps what it acknowledges and throws nothing away", () => {
    for (const option of ["--appendonly yes", "--appendfsync always", "--maxmemory-policy noeviction"]) {
      expect(serviceOf("redis").command).toContain(option);
    }
  });

  test("only the console, the streamer and the gateway have a network besides the closed one", () => {
    expect(compose.networks["bus"]).toEqual({ internal: true });
    const outside = Object.entries(compose.services).flatMap(([name, { networks = [] }]) =>
      networks.some((network) => network !== "bus") ? [name] : [],
    );
    expect(outside.toSorted()).toEqual(["console", "gateway", "streamer"]);
  });
});

describe("the executor's sandbox", () => {
  const FILE = "deploy/seccomp/executor.json";
  const profile: {
    readonly defaultAction: string;
    readonly syscalls: readonly {
      readonly names: readonly string[];
      readonly action: string;
      readonly args?: unknown;
    }[];
  } = JSON.parse(readText(FILE));
  const allowed = new Set(
    profile.syscalls.flatMap(({ names, action }) => (action === "SCMP_ACT_ALLOW" ? names : [])),
  );

  test("gets its two grants, and no other container does", () => {
    const granted = Object.entries(compose.services).flatMap(([name, { security_opt = [] }]) =>
      security_opt.length > 1 ? [{ name, security_opt }] : [],
    );
    expect(granted).toEqual([
      {
        name: "executor",
        security_opt: ["no-new-privileges:true", `seccomp=${FILE}`, "systempaths=unconfined"],
      },
    ]);
  });

  test("may make namespaces, and no call that leads out of them or into another process", () => {
    expect(profile.defaultAction).toBe("SCMP_ACT_ERRNO");
    const needed = ["clone", "mount", "pivot_root", "sethostname", "umount2", "unshare"];
    expect(needed.filter((name) => !allowed.has(name))).toEqual([]);
    const dangerous = [
      ["bpf", "clone3", "delete_module", "finit_module", "fsopen", "init_module", "io_uring_setup", "kcmp"],
      [
        "kexec_load",
        "keyctl",
        "move_mount",
        "open_by_handle_at",
        "open_tree",
        "perf_event_open",
        "pidfd_getfd",
      ],
      [
        "process_vm_readv",
        "process_vm_writev",
        "ptrace",
        "reboot",
        "setns",
        "swapon",
        "syslog",
        "userfaultfd",
      ],
    ].flat();
    expect(dangerous.filter((name) => allowed.has(name))).toEqual([]);
  });
});

describe("the Dockerfile", () => {
  test.each([...SERVICES, "gateway", "cli"])("ends the image of %s with a user without rights", (name) => {
    const lines = (target: string): string => {
      const stage = targets.get(target) ?? "";
      const parent = /^(\S+) AS/.exec(stage)?.[1] ?? "";
      return `${targets.has(parent) ? lines(parent) : ""}${stage}`;
    };
    const users = [...lines(name).matchAll(/^USER (.+)$/gm)].map(([, user]) => user);
    expect(users.at(-1)).toBe("1000:1000");
    expect(lines(name)).toContain("chmod 0711 /usr/local/bin/node");
  });

  test("installs the pnpm that package.json names", () => {
    const { packageManager }: { readonly packageManager: string } = JSON.parse(readText("package.json"));
    expect(targets.get("build")).toContain(` ${packageManager}\n`);
  });
});

describe("the files that compose hands out", () => {
  test("load: the default routes, the policies, and a folder without tools", () => {
    const names = (file: string) => [...parseRoutes(readText(file), file).keys()];
    expect(names("config/routes.yaml")).toEqual(["cometapi"]);
    expect([...loadPolicyProfiles(`${ROOT}config/policies`).keys()]).toContain("ci-default");
    expect(loadTools(`${ROOT}config/tools`).operatorTools).toEqual([]);
  });

  test.each(["fix-test", "cut-write", "forbidden"])(
    "the demo's spec %s is the fixture's, but for its source",
    (name) => {
      const spec = parseRunSpec(parse(readText(`deploy/demo/${name}.yaml`)), name);
      const fixture = parseRunSpec(parse(readText(`fixtures/demo/specs/${name}.yaml`)), name);
      expect(spec).toEqual({ ...fixture, workspace: { source: "/srv/sources/demo", ref: "main" } });
    },
  );

  test("the demo's routes are those of a replay gateway, and the contract of each is played", () => {
    const file = "deploy/demo/routes.yaml";
    const { cometapi: _, ...own } = Object.fromEntries(parseRoutes(routesText("http://gateway:8080"), file));
    expect(Object.fromEntries(parseRoutes(readText(file), file))).toEqual(own);
    const played = /^for route in (.+); do$/m.exec(readText("deploy/demo/play.sh"))?.[1]?.split(" ");
    expect(played).toEqual(Object.keys(own));
  });

  test("the demo's variables are ones that docker-compose.yml asks for", () => {
    const names = [...readText("deploy/demo/demo.env").matchAll(/^([A-Z_]+)=/gm)].map(
      ([, name]) => name ?? "",
    );
    const asked = readText("docker-compose.yml");
    expect(names.filter((name) => name !== "COMPOSE_PROFILES" && !asked.includes(`\${${name}:-`))).toEqual(
      [],
    );
  });
});

describe("users of Redis", () => {
  const { redisUrl, redisPasswordFile } = SETTINGS;
  const maker = serviceOf("redis-users");

  test.each([...SERVICES, "cli", "demo"])(
    "let %s in with its own password, the only one that it sees",
    (name) => {
      const service = serviceOf(name);
      const user = name === "cli" || name === "demo" ? "client" : name;
      const environment = service.environment ?? {};
      expect(new URL(environment[redisUrl.env] ?? "").username).toBe(user);
      expect(new URL(environment[redisUrl.env] ?? "").password).toBe("");
      const file = environment[redisPasswordFile.env] ?? "";
      expect(file.endsWith("/redis-password")).toBe(true);
      expect(mountsOf(service).filter(({ source }) => source.startsWith("redis-"))).toEqual([
        { source: `redis-${user}`, target: dirname(file), readOnly: true },
      ]);
    },
  );

  test("are made with a volume for each login, by a container that sees no key and no network", () => {
    const [command, folder, , file] = z.array(z.string()).parse(maker.command);
    expect(command).toBe("acl");
    const made = REDIS_LOGINS.map((login) => ({ source: `redis-${login}`, target: `${folder}/${login}` }));
    const users = { source: "redis-users", target: dirname(file ?? "") };
    const mounted = mountsOf(maker).map(({ source, target }) => ({ source, target }));
    expect(mounted.toSorted(bySource)).toEqual([...made, users].toSorted(bySource));
    expect(maker.network_mode).toBe("none");
  });

  test("are all that Redis lets in: it reads their file and no password", () => {
    const redis = serviceOf("redis");
    const [, target] = /--aclfile (\S+)\/users\.acl/.exec(String(redis.command)) ?? [];
    expect(mountsOf(redis).filter(({ source }) => source.startsWith("redis-"))).toEqual([
      { source: "redis-users", target, readOnly: true },
    ]);
  });
});

function bySource(a: { readonly source: string }, b: { readonly source: string }): number {
  return a.source.localeCompare(b.source);
}
