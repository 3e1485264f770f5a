import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { expect, inject, test } from "vitest";
import { attempt, grantedCalls, nothing } from "./batch.ts";

const place = inject("executor");

/** Numbers on x64 and arm64, written down here once more: a line that is lost in the filter's own table shows. */
const DANGEROUS: Readonly<Record<string, readonly [number, number]>> = {
  acct: [163, 89],
  add_key: [248, 217],
  adjtimex: [159, 171],
  bpf: [321, 280],
  chroot: [161, 51],
  clock_adjtime: [305, 266],
  clock_settime: [227, 112],
  finit_module: [313, 273],
  fsopen: [430, 430],
  init_module: [175, 105],
  io_uring_setup: [425, 425],
  kcmp: [312, 272],
  kexec_load: [246, 104],
  keyctl: [250, 219],
  mount: [165, 40],
  move_mount: [429, 429],
  open_by_handle_at: [304, 265],
  open_tree: [428, 428],
  perf_event_open: [298, 241],
  pidfd_getfd: [438, 438],
  pivot_root: [155, 41],
  process_vm_readv: [310, 270],
  process_vm_writev: [311, 271],
  ptrace: [101, 117],
  quotactl: [179, 60],
  reboot: [169, 142],
  request_key: [249, 218],
  sethostname: [170, 161],
  setns: [308, 268],
  settimeofday: [164, 170],
  swapon: [167, 224],
  syslog: [103, 116],
  umount2: [166, 39],
  unshare: [272, 97],
  userfaultfd: [323, 282],
};

const column = process.arch === "arm64" ? 1 : 0;

test("no privilege can be had, and nothing outside can be changed", async () => {
  const run = await grantedCalls().run();
  const places = [place.directory, place.volume, place.policies, place.source];
  const attempts = {
    "a setuid program": `for p in $(find /usr/bin -perm -4000); do case $p in */su) $p -c id;; */sudo) $p -n id;; */mount) $p -t tmpfs x /tmp;; *) false;; esac && echo RAN $p; done`,
    "a setuid file of one's own": `cp /bin/bash b && chmod 6755 b && [ "$(./b -p -c 'id -u')" != "$(id -u)" ] && echo RAISED; rm -f b`,
    "a file capability": `cp /bin/true c && setcap cap_sys_admin+ep c && echo SET; rm -f c`,
    "device nodes": `for t in "c 1 1" "b 8 0" "c 5 1"; do mknod /tmp/node $t && echo MADE $t; mknod node $t && echo MADE $t; done`,
    "a nested user namespace": `unshare -Ur id; unshare -Urm mount -t tmpfs x /tmp; unshare -r true && echo MADE`,
    "other namespaces": `for n in m u i n p C; do unshare -$n true && echo MADE $n; done`,
    "clone with a namespace": `perl -e 'my $p = syscall(${[56, 220][column]}, 0x10000011, 0, 0, 0, 0); exit 0 if $p == 0; print "MADE" if $p > 0'`,
    "a namespace of another process": `nsenter -t 1 -m true && echo ENTERED; nsenter -t 1 -U true && echo ENTERED`,
    mounts: `mount -o remount,rw /usr && echo M; mount -o remount,bind,rw / && echo M; mount -t proc p /tmp && echo M; mount --bind /ws /tmp && echo M; umount /proc && echo M; umount -l /ws && echo M`,
    "writing the system": `for f in /usr/x /etc/x /bin/x /lib/x /x /dev/x /git/x /git/config /git/HEAD /proc/sys/kernel/hostname /proc/sysrq-trigger /proc/sys/kernel/core_pattern /sys/x /etc/passwd /etc/ld.so.preload; do (echo x >> $f) && echo WROTE $f; done`,
    // What it writes there lands in its own temporary files; outside is looked at below.
    "writing where others live": `for d in ${places.join(" ")}; do echo x > $d/x; done; echo x >> ${place.directory}/secret`,
    cgroups: `find /sys/fs/cgroup -name cgroup.procs -writable; mkdir /sys/fs/cgroup/x && echo MADE`,
    "a higher priority": `nice -n -5 true && nice -n -5 nice | grep -v '^0$' | grep -e -; true`,
    capabilities: `grep -E '^Cap(Eff|Prm|Bnd|Inh|Amb)' /proc/self/status | grep -v '0000000000000000'`,
    "new privileges": `grep NoNewPrivs /proc/self/status | grep -v '1$'`,
    "no filter": `grep '^Seccomp:' /proc/self/status | grep -v '2$'`,
    "typing into a terminal": `perl -e 'my $b = "x"; for my $r (0x5412, 0x541c) { $! = 0; ioctl(STDIN, $r, $b); print "$r:$!" if $! != 1 }'`,
    "dangerous calls": `perl -e 'for (@ARGV) { my ($name, $number) = split /,/; $! = 0;
      my $back = syscall($number + 0, 0, 0, 0, 0, 0); print "$name " if $back != -1 || $! != 1 }' ${Object.entries(
        DANGEROUS,
      )
        .map(([name, numbers]) => `${name},${numbers[column]}`)
        .join(" ")}`,
  };
  expect(await attempt(run, attempts)).toEqual(nothing(attempts));
  expect(readFileSync(path.join(place.directory, "secret"), "utf8")).toBe(place.canary);
  expect(places.filter((dir) => readdirSync(dir).includes("x"))).toEqual([]);
});

test("bubblewrap's set-up creates nothing outside through a link that the agent planted (CVE-2026-87766)", async () => {
  const run = await grantedCalls().run();
  const outside = path.join(place.volume, `${run.run}-outside`);
  execFileSync("mkdir", ["-m", "0777", outside]);
  await run.bash(
    `rm -rf .git; ln -s /oldroot${outside}/git .git; ln -s /oldroot${outside} sub; ln -s /newroot/usr usr; mkdir -p ws git`,
  );
  for (const cwd of [".", "sub", "sub/x", "usr", "ws", "git"]) {
    await run.call("run_command", { argv: ["perl", "script.sh"], cwd });
  }
  await run.call("read_file", { path: "sub/x" });
  await run.call("write_file", { path: "sub/x", content: "x" });
  expect(readdirSync(outside)).toEqual([]);
  expect(statSync(outside).isDirectory()).toBe(true);
});
