import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { DEFAULT_SANDBOX_LIMITS, missingGuarantees } from "../../src/sandbox/index.ts";
import { seccompFilter } from "../../src/sandbox/seccomp-filter.ts";
import {
  ABSENT_CALLS,
  argumentRules,
  AUDIT_ARCHITECTURES,
  callNumber,
  DENIED_CALLS,
  type Architecture,
} from "../../src/sandbox/seccomp-rules.ts";
import { backendFixture, treeFixture } from "../workspace/fixture.ts";

const ALLOW = 0x7fff_0000;
const EPERM = 0x0005_0001;
const ENOSYS = 0x0005_0026;
const KILL = 0x8000_0000;

interface Call {
  readonly number: number;
  readonly arguments?: readonly number[];
  readonly architecture?: number;
}

/** What the kernel does with such a filter (classic BPF, the five instructions in use). */
function answer(program: Buffer, architecture: Architecture, call: Call): number {
  const data = Buffer.alloc(64);
  data.writeUInt32LE(call.number >>> 0, 0);
  data.writeUInt32LE(call.architecture ?? AUDIT_ARCHITECTURES[architecture], 4);
  (call.arguments ?? []).forEach((value, at) => data.writeBigUInt64LE(BigInt(value), 16 + 8 * at));
  let accumulator = 0;
  for (let at = 0; at < program.length / 8; at += 1) {
    const [code, value] = [program.readUInt16LE(at * 8), program.readUInt32LE(at * 8 + 4)];
    if (code === 0x06) return value;
    if (code === 0x20) {
      accumulator = data.readUInt32LE(value);
      continue;
    }
    const holds =
      code === 0x15
        ? accumulator === value
        : code === 0x35
          ? accumulator >= value
          : (accumulator & value) >>> 0 !== 0;
    at += program.readUInt8(at * 8 + (holds ? 2 : 3));
  }
  throw new Error("the program has no end");
}

describe.each(["x64", "arm64"] as const)("the filter for %s", (architecture) => {
  const program = seccompFilter(architecture, false) ?? Buffer.alloc(0);
  const ask = (number: number, ...args: readonly number[]) =>
    answer(program, architecture, { number, arguments: args });
  const { clone, ioctl, socket } = argumentRules(false);

  test("refuses exactly the calls of the list, and says that clone3 is absent", () => {
    const refused = new Map<number, number>();
    for (let number = 0; number < 1024; number += 1) {
      if (ask(number) !== ALLOW) refused.set(number, ask(number));
    }
    const expected = [
      ...Object.values(DENIED_CALLS).map((numbers) => [callNumber(numbers, architecture), EPERM] as const),
      ...Object.values(ABSENT_CALLS).map((numbers) => [callNumber(numbers, architecture), ENOSYS] as const),
      // Family 0 is not AF_UNIX.
      [callNumber(socket.numbers, architecture), EPERM] as const,
    ];
    const byNumber = (a: readonly [number, number], b: readonly [number, number]) => a[0] - b[0];
    expect([...refused].toSorted(byNumber)).toEqual(expected.toSorted(byNumber));
    expect(new Set(expected.map(([number]) => number)).size).toBe(expected.length);
  });

  test.each([
    [
      "a new namespace of any kind",
      clone,
      [
        [0x0002_0000],
        [0x0200_0000],
        [0x0400_0000],
        [0x0800_0000],
        [0x1000_0000],
        [0x2000_0000],
        [0x4000_0000],
        [0x4000_0011],
      ],
      EPERM,
    ],
    ["a process and a thread", clone, [[0x11], [0x003d_0f00], [0x0120_0011]], ALLOW],
    [
      "typing into a terminal",
      ioctl,
      [
        [0, 0x5412],
        [0, 0x541c],
        [0, 2 ** 32 + 0x5412],
      ],
      EPERM,
    ],
    [
      "other requests to a device",
      ioctl,
      [
        [0, 0x5401],
        [0, 0x5413],
      ],
      ALLOW,
    ],
    ["sockets but unix ones", socket, [[2], [10], [16], [17], [38], [40], [2 ** 32 + 2]], EPERM],
    ["unix sockets", socket, [[1]], ALLOW],
  ] as const)("%s", (_, rule, calls, expected) => {
    const number = callNumber(rule.numbers, architecture);
    for (const args of calls) expect([args, ask(number, ...args)]).toEqual([args, expected]);
  });

  test("lets through nothing of another architecture", () => {
    const foreign = architecture === "x64" ? 0x4000_0003 : 0x4000_0028;
    expect(answer(program, architecture, { number: 20, architecture: foreign })).toBe(KILL);
    if (architecture === "x64") expect(ask(0x4000_0000 + 39)).toBe(ENOSYS);
  });

  test("with a network lets through what a connection needs, and no other family", () => {
    const open = seccompFilter(architecture, true) ?? Buffer.alloc(0);
    const number = callNumber(socket.numbers, architecture);
    const allowed = Array.from({ length: 64 }, (_, family) => family).filter(
      (family) => answer(open, architecture, { number, arguments: [family] }) === ALLOW,
    );
    expect(allowed).toEqual([1, 2, 10, 16]);
  });
});

test("there is none for an architecture whose numbers nobody has written down", () => {
  expect([seccompFilter("riscv64", false), seccompFilter("toString", false)]).toEqual([null, null]);
});

const signal = AbortSignal.timeout(60_000);

/** Makes each call for real, from inside, and prints the error number that came back; 0 where the call went through. */
const TRY_CALLS = `while (@ARGV) { my ($name, $number, @rest) = split /,/, shift;
  my $back = syscall($number, map { $_ + 0 } @rest); printf "%s %d\\n", $name, $back == -1 ? $! : 0; }`;

async function tried(change: Parameters<typeof backendFixture>[1], calls: readonly string[]) {
  const { root, tree } = await treeFixture();
  const backend = await backendFixture(join(root, "state"), change);
  const session = await backend.open({ tree, git: null }, DEFAULT_SANDBOX_LIMITS);
  const shared = { name: `call-${root}`, fenceHolds: () => Promise.resolve(true), cwdRel: "" } as const;
  const argv = ["perl", "-e", TRY_CALLS, "--", ...calls];
  const result = await session.exec({ ...shared, profile: "write", timeoutMs: 20_000, argv }, signal);
  if (result.kind !== "exited") throw new Error(`the calls were not made: ${JSON.stringify(result)}`);
  expect(result.stderr.head.toString()).toBe("");
  const lines = result.stdout.head.toString().trim().split("\n");
  return { backend, answers: new Map(lines.map((line) => [line.split(" ")[0] ?? "", line.split(" ")[1]])) };
}

const here = process.arch === "arm64" ? "arm64" : "x64";
const argument = argumentRules(false);
const DENIED_HERE = [
  ...Object.entries(DENIED_CALLS).map(([name, numbers]) => `${name},${callNumber(numbers, here)},0,0,0,0`),
  `socket_inet,${callNumber(argument.socket.numbers, here)},2,1,0`,
  `socket_packet,${callNumber(argument.socket.numbers, here)},17,3,0`,
  `socket_netlink,${callNumber(argument.socket.numbers, here)},16,3,0`,
  `socket_vsock,${callNumber(argument.socket.numbers, here)},40,1,0`,
  `socket_alg,${callNumber(argument.socket.numbers, here)},38,5,0`,
  `ioctl_tiocsti,${callNumber(argument.ioctl.numbers, here)},0,21522,0`,
  `ioctl_tioclinux,${callNumber(argument.ioctl.numbers, here)},0,21532,0`,
  `clone_newuser,${callNumber(argument.clone.numbers, here)},268435473,0,0,0,0`,
];
const OTHERS_HERE = [
  `socket_unix,${callNumber(argument.socket.numbers, here)},1,1,0`,
  `ioctl_tcgets,${callNumber(argument.ioctl.numbers, here)},0,21505,0`,
  `clone3,${callNumber(ABSENT_CALLS.clone3, here)},0,0`,
];

test("every call of the list is refused when it is really made, and ordinary ones are not", async () => {
  const { answers } = await tried({}, [...DENIED_HERE, ...OTHERS_HERE]);
  const refused = Object.fromEntries(DENIED_HERE.map((call) => [call.split(",")[0] ?? "", "1"]));
  expect(Object.fromEntries(answers)).toEqual({
    ...refused,
    socket_unix: "0",
    ioctl_tcgets: "25",
    clone3: "38",
  });
});

test("without its filter the sandbox would let calls through, and its probe says so", async () => {
  const { root } = await treeFixture();
  const bwrapPath = join(root, "bwrap");
  const drop = `a=(); while [ $# -gt 0 ]; do if [ "$1" = --seccomp ]; then shift 2; else a+=("$1"); shift; fi; done`;
  writeFileSync(bwrapPath, `#!/bin/bash\n${drop}\nexec -c /usr/bin/bwrap "\${a[@]}" 3<&-\n`, { mode: 0o755 });
  const { answers, backend } = await tried({ bwrapPath }, DENIED_HERE);
  const letThrough = [...answers.keys()].filter((name) => answers.get(name) !== "1");
  expect(letThrough).toEqual(expect.arrayContaining(["kcmp", "ptrace", "socket_inet", "unshare"]));
  const { held, detail } = await backend.probe(signal);
  expect(missingGuarantees("command", held)).toEqual(["seccomp"]);
  expect(detail.seccomp).toMatch(/^no filter of system calls is in force/);
});

test("on an architecture without a filter commands miss it", async () => {
  const { root } = await treeFixture();
  const backend = await backendFixture(join(root, "state"), { architecture: "riscv64" });
  const { held } = await backend.probe(signal);
  expect(missingGuarantees("command", held)).toEqual(["seccomp"]);
});
