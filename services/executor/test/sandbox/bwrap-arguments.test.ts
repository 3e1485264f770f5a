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
      "--unshare-user --unshare-pid --unshare-net --unshare-ipc --unshare-uts --unshare-cgroup-try",
      "--disable-userns --cap-drop ALL --die-with-parent --new-session --hostname sandbox --clearenv …",
      "--ro-bind /usr /usr --symlink usr/bin /bin --ro-bind /lib64 /lib64 --dir /etc",
      "--ro-bind /volume/sandbox/etc/passwd /etc/passwd --ro-bind /volume/sandbox/etc/group /etc/group",
      "--ro-bind-try /etc/alternatives /etc/alternatives --ro-bind-try /etc/ssl/certs /etc/ssl/certs",
      "--ro-bind-try /etc/ld.so.cache /etc/ld.so.cache --proc /proc --dev /dev",
      "--size 67108864 --tmpfs /dev/shm --remount-ro /dev --size 67108864 --tmpfs /tmp",
      "--ro-bind /opt/node /opt/node --ro-bind /opt/count /opt/count --bind /volume/r/tree /ws --ro-bind /volume/r/git /git",
      "--ro-bind /volume/mirrors/m.git/objects /volume/mirrors/m.git/objects",
      "--remount-ro / --chdir /ws/sub/dir --json-status-fd 4",
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

test("no mount has its destination inside the tree", () => {
  const destinations = mounts(bwrapArguments(PLAN)).map((mount) => mount.split(" ")[2]);
  expect(destinations.filter((path) => path?.startsWith("/ws/"))).toEqual([]);
});
