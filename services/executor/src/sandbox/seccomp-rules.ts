/**
 * Which system calls a sandboxed program may not make, as data. Everything that is not named here is allowed: what else
 * a call could reach is fenced by namespaces, dropped capabilities and limits.
 */
export type Architecture = "x64" | "arm64";

/** The kernel's own number for each architecture (AUDIT_ARCH of linux/audit.h). */
export const AUDIT_ARCHITECTURES = { x64: 0xc000_003e, arm64: 0xc000_00b7 } as const satisfies Record<
  Architecture,
  number
>;

export const EPERM = 1;
export const ENOSYS = 38;

/** Numbers on x64 and arm64, of the kernel's tables. */
type CallNumbers = readonly [x64: number, arm64: number];

const same = (number: number): CallNumbers => [number, number];

/** Refused with EPERM, whatever their arguments. */
export const DENIED_CALLS = {
  acct: [163, 89],
  add_key: [248, 217],
  adjtimex: [159, 171],
  bpf: [321, 280],
  chroot: [161, 51],
  clock_adjtime: [305, 266],
  clock_settime: [227, 112],
  delete_module: [176, 106],
  finit_module: [313, 273],
  fsconfig: same(431),
  fsmount: same(432),
  fsopen: same(430),
  fspick: same(433),
  init_module: [175, 105],
  io_uring_enter: same(426),
  io_uring_register: same(427),
  io_uring_setup: same(425),
  kcmp: [312, 272],
  kexec_file_load: [320, 294],
  kexec_load: [246, 104],
  keyctl: [250, 219],
  mount: [165, 40],
  mount_setattr: same(442),
  move_mount: same(429),
  open_by_handle_at: [304, 265],
  open_tree: same(428),
  open_tree_attr: same(467),
  perf_event_open: [298, 241],
  pidfd_getfd: same(438),
  pivot_root: [155, 41],
  process_vm_readv: [310, 270],
  process_vm_writev: [311, 271],
  ptrace: [101, 117],
  quotactl: [179, 60],
  quotactl_fd: same(443),
  reboot: [169, 142],
  request_key: [249, 218],
  setdomainname: [171, 162],
  sethostname: [170, 161],
  setns: [308, 268],
  settimeofday: [164, 170],
  swapoff: [168, 225],
  swapon: [167, 224],
  syslog: [103, 116],
  umount2: [166, 39],
  unshare: [272, 97],
  userfaultfd: [323, 282],
} as const satisfies Record<string, CallNumbers>;

/** Said not to exist: its flags lie in memory, out of a filter's sight, and every C library then uses `clone`. */
export const ABSENT_CALLS = { clone3: same(435) } as const satisfies Record<string, CallNumbers>;

const AF_UNIX = 1;
const AF_INET = 2;
const AF_INET6 = 10;
/** How a C library asks which addresses this machine has, before it connects. */
const AF_NETLINK = 16;

const TIOCSTI = 0x5412;
const TIOCLINUX = 0x541c;

/** CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET. NEWTIME can't be asked of `clone`. */
const CLONE_NEW = 0x7e02_0000;

/**
 * Refused with EPERM by one argument, read as 32 bits as the kernel does: where it has any of these bits, where it is
 * one of these values, or where it is none of them.
 */
export interface ArgumentRule {
  readonly numbers: CallNumbers;
  readonly argument: number;
  readonly denied: "any_bit" | "one_of" | "all_but";
  readonly values: readonly number[];
}

/** `network`: for a profile that has one. */
export function argumentRules(
  network: boolean,
): Readonly<Record<"clone" | "ioctl" | "socket", ArgumentRule>> {
  const families = network ? [AF_UNIX, AF_INET, AF_INET6, AF_NETLINK] : [AF_UNIX];
  return {
    clone: { numbers: [56, 220], argument: 0, denied: "any_bit", values: [CLONE_NEW] },
    ioctl: { numbers: [16, 29], argument: 1, denied: "one_of", values: [TIOCSTI, TIOCLINUX] },
    socket: { numbers: [41, 198], argument: 0, denied: "all_but", values: families },
  };
}

export function callNumber(numbers: CallNumbers, architecture: Architecture): number {
  return numbers[architecture === "x64" ? 0 : 1];
}
