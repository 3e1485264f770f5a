import { expect, test } from "vitest";
import { bwrapArguments, DEFAULT_SANDBOX_LIMITS, type BwrapPlan } from "../../src/sandbox/index.ts";

const PLAN: BwrapPlan = {
  layout: { links: [{ path: "/bin", target: "usr/bin" }], directories: ["/lib64"] },
  etcDir: "/volume/sandbox/etc",
  toolchains: ["/opt/node"],
  programs: ["/opt/count"],
  workspace: {
    tree: "/volume/r/tree",
    git: { gitDir: "/volume/r/git", objects: "/volume/mirrors/m.git/objects" },
  },
  limits: DEFAULT_SANDBOX_LIMITS,
  profile: "write",
  environment: {},
  cwdRel: "sub/dir",
  statusFd: 4,
  seccompFd: 3,
  blockFd: null,
  command: ["/usr/bin/printf", "--", "--bind"],
};

/** The mounts as `option source destination`. */
function mounts(args: readonly string[]): readonly string[] {
  return args.flatMap((arg, i) =>
    /^--(?:ro-)?bind(?:-try)?$/.test(arg) ? [args.slice(i, i + 3).join(" ")] : [],
  );
}

test("the whole argv, but for the environment", () => {
  const args = bwrapArguments(PLAN);
  const env = args.indexOf("--setenv");
  const rest = args.lastIndexOf("--setenv") + 3;
  expect([...args.slice(0, env), "…", ...args.slice(rest)].join(" ")).toBe(
    [
      "--unshare-user --unshare-pid --unshare-ipc --unshare-uts --unshare-cgroup-try",
      "--disable-userns --cap-drop ALL --die-with-parent --new-session --hostname sandbox --clearenv --unshare-net …",
      "--ro-bind /usr /usr --symlink usr/bin /bin --ro-bind /lib64 /lib64 --dir /etc",
      "--ro-bind /volume/sandbox/etc/passwd /etc/passwd --ro-bind /volume/sandbox/etc/group /etc/group",
      "--ro-bind-try /etc/alternatives /etc/alternatives --ro-bind-try /etc/ssl/certs /etc/ssl/certs",
      "--ro-bind-try /etc/ld.so.cache /etc/ld.so.cache --proc /proc --dev /dev",
      "--size 67108864 --tmpfs /dev/shm --remount-ro /dev --size 67108864 --tmpfs /tmp",
      "--ro-bind /opt/node /opt/node --ro-bind /opt/count /opt/count --bind /volume/r/tree /ws --ro-bind /volume/r/git /git",
      "--ro-bind /volume/mirrors/m.git/objects /volume/mirrors/m.git/objects",
      "--remount-ro / --chdir /ws/sub/dir --seccomp 3 --json-status-fd 4",
      "-- /usr/bin/prlimit --nproc=128 --nofile=512 --fsize=67108864 --cpu=600 --data=4294967296 --core=0",
      "-- /usr/bin/printf -- --bind",
    ].join(" "),
  );
});

function writable(args: readonly string[]): readonly string[] {
  return mounts(args).filter((mount) => mount.startsWith("--bind"));
}

test("only the tree is ever writable, and not in the read profile", () => {
  expect(writable(bwrapArguments(PLAN).slice(0, -1))).toEqual(["--bind /volume/r/tree /ws"]);
  expect(writable(bwrapArguments({ ...PLAN, profile: "read", command: ["/usr/bin/true"] }))).toEqual([]);
});

test("in the git profile the git dir is writable, its configuration and the tree are not", () => {
  const args = bwrapArguments({ ...PLAN, profile: "git", command: ["/usr/bin/git"] });
  expect(writable(args)).toEqual(["--bind /volume/r/git /git"]);
  const shown = mounts(args);
  const config = shown.indexOf("--ro-bind /volume/r/git/config /git/config");
  expect(config).toBeGreaterThan(shown.indexOf("--bind /volume/r/git /git"));
  expect(shown).toContain("--ro-bind /volume/r/tree /ws");
});

test("a request's own variables stand beside the sandbox's, or in their place", () => {
  const args = bwrapArguments({ ...PLAN, environment: { OWN: "x", HOME: "/ws" } });
  const set = args.flatMap((arg, at) => (arg === "--setenv" ? [args.slice(at + 1, at + 3).join("=")] : []));
  expect(set.filter((each) => /^(?:OWN|HOME|CI)=/.test(each)).toSorted()).toEqual([
    "CI=1",
    "HOME=/ws",
    "OWN=x",
  ]);
});

test("a prepare step alone has the network, and a cache beside the tree", () => {
  const workspace = { ...PLAN.workspace, cache: "/volume/cache/c" };
  const prepare = bwrapArguments({ ...PLAN, workspace, profile: "prepare", command: ["/usr/bin/true"] });
  expect(writable(prepare)).toEqual(["--bind /volume/r/tree /ws", "--bind /volume/cache/c /cache"]);
  expect(prepare).not.toContain("--unshare-net");
  expect(prepare.join(" ")).toContain("--setenv npm_config_cache /cache/npm");
  const write = bwrapArguments({ ...PLAN, workspace });
  expect(write).toContain("--unshare-net");
  expect(write.join(" ")).not.toMatch(/\/cache|resolv\.conf/);
});

test.each(["read", "write", "git", "prepare"] as const)(
  "in the profile %s no mount is inside the tree",
  (profile) => {
    const destinations = mounts(bwrapArguments({ ...PLAN, profile })).map((mount) => mount.split(" ")[2]);
    expect(destinations.length).toBeGreaterThan(5);
    expect(destinations.filter((path) => path?.startsWith("/ws/"))).toEqual([]);
  },
);
