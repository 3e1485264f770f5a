import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { expect, inject, onTestFinished, test } from "vitest";
import { ROOT } from "../support/root.ts";
import { attempt, grantedCalls, nothing } from "./batch.ts";

const place = inject("executor");
const { directory, volume, canary } = place;

/** What no program in a sandbox may see anywhere. */
const SECRET = `${canary}\\|redis://\\|AIRLOCK_\\|BEGIN PRIVATE\\|NODE_OPTIONS\\|LD_PRELOAD\\|COMETAPI`;

function hostSegment(): void {
  const made = execFileSync("ipcmk", ["-M", "4096", "-p", "0666"], { encoding: "utf8" });
  const id = /\d+/.exec(made)?.[0] ?? "";
  onTestFinished(() => void execFileSync("ipcrm", ["-m", id]));
}

test("nothing of the executor, of other runs or of the machine can be read by a program", async () => {
  const calls = grantedCalls();
  const [other, run] = [await calls.run(), await calls.run()];
  writeFileSync(path.join(other.tree, "canary.txt"), canary, { mode: 0o666 });
  hostSegment();
  const attempts = {
    "another run's tree": `cat ${other.tree}/canary.txt`,
    // Of the volume nothing but the mirror's objects is there, which the run's git dir borrows.
    "the volume": `ls -A ${volume} ${volume}/.. ${volume}/mirrors/*.git | grep -v ':$\\|^$' | grep -v -x 'volume\\|mirrors\\|objects'; ls ${volume}/sandbox`,
    "a readable file beside the keys": `cat ${directory}/secret`,
    "the keys": `cat ${directory}/executor.json`,
    "the policies": `cat ${place.policies}/*`,
    "by climbing out of the tree": `cat ../secret ../../secret ../../../secret /ws/../secret`,
    "home folders and SSH keys": `cat /root/.profile /root/.bashrc /root/.ssh/* /home/*/.ssh/* ~/.ssh/*`,
    "password hashes": `cat /etc/shadow /etc/gshadow /etc/sudoers`,
    "its own environment": `tr '\\0' '\\n' < /proc/self/environ | grep '${SECRET}'`,
    "every environment": `cat /proc/[0-9]*/environ /proc/[0-9]*/task/*/environ | tr '\\0' '\\n' | grep '${SECRET}'`,
    "the parent's environment": `cat /proc/$PPID/environ | tr '\\0' '\\n' | grep '${SECRET}'`,
    "environment variables but the list": `env | sed 's/=.*//' | grep -v -x 'CI\\|GIT_[A-Z_0-9]*\\|HOME\\|LANG\\|PAGER\\|PATH\\|TERM\\|PWD\\|OLDPWD\\|SHLVL\\|_'`,
    "roots of processes": `cat /proc/[0-9]*/root${directory}/secret; ls -d /proc/1/root/root /proc/[0-9]*/root/home`,
    "working folders of processes": `cat /proc/[0-9]*/cwd/../secret /proc/[0-9]*/cwd/../../secret`,
    "memory maps of others": `cat /proc/[0-9]*/maps | grep '${directory}\\|${ROOT}/services'`,
    "memory of the first process": `head -c 1 /proc/1/mem`,
    "command lines of others": `tr '\\0' '\\n' < /proc/1/cmdline | grep -i 'executor\\|redis'; cat /proc/[0-9]*/cmdline | tr '\\0' ' ' | grep -o '[r]edis-server\\|[v]itest\\|services/[e]xecutor\\|dist/[m]ain'`,
    // The call's own output is a socket each; bubblewrap's first process has an event of its own.
    "inherited descriptors": `readlink /proc/$$/fd/1 /proc/$$/fd/2 > /tmp/own; echo 'anon_inode:[eventfd]' >> /tmp/own
      readlink /proc/1/fd/* /proc/self/fd/* | grep -v '^/dev/null$\\|^pipe:\\|^/ws/\\|^/proc/' | grep -v -x -F -f /tmp/own`,
    "the engine's sockets": `ls /var/run/docker.sock /run/docker.sock /run/containerd /run/podman /run/user /var/run/secrets`,
    "the executor's code and settings": `ls /app ${ROOT}/services ${ROOT}/package.json /etc/airlock /run/airlock`,
    "the kernel's log": `dmesg; head -c 10 /dev/kmsg /proc/kmsg`,
    "kernel addresses": `grep -v '^0*\\b' /proc/kallsyms | head -1; head -c 1 /proc/kcore`,
    "shared memory of the machine": `ipcs -m | grep 0x; ipcs -q | grep 0x; ls /dev/mqueue`,
    "the machine's name": `hostname | grep -v '^sandbox$'`,
    "disks and devices": `ls /dev | grep -v -x 'console\\|core\\|fd\\|full\\|null\\|ptmx\\|pts\\|random\\|shm\\|stderr\\|stdin\\|stdout\\|tty\\|urandom\\|zero'`,
    "other mounts": `grep -o '${directory}[^ ]*secret\\|${directory}[^ ]*json' /proc/self/mountinfo`,
    "a search of everything": `grep -rslF ${canary} / --exclude-dir=proc --exclude-dir=sys --exclude-dir=usr --exclude=script.sh`,
  };
  expect(await attempt(run, attempts)).toEqual(nothing(attempts));
});

test("nor by the file tools", async () => {
  const run = await grantedCalls().run();
  await run.bash(
    `ln -s ${directory}/secret leaf; ln -s ${directory} parent; ln -s /proc/self/environ environ`,
  );
  for (const name of ["leaf", "parent/secret", "environ", `${directory}/secret`, "../../secret"]) {
    const end = await run.call("read_file", { path: name });
    expect(end.result["status"] ?? end.state, name).toMatch(/^(refused|DENIED)$/);
    expect(JSON.stringify(end)).not.toContain(canary);
  }
});
