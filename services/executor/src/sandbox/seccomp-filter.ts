// Takes an architecture, gives the filter of system calls that bubblewrap loads, as the kernel reads it (struct
// sock_filter, eight bytes an instruction); null for an architecture whose numbers nobody has written down.
import { Buffer } from "node:buffer";
import {
  ABSENT_CALLS,
  argumentRules,
  AUDIT_ARCHITECTURES,
  callNumber,
  DENIED_CALLS,
  ENOSYS,
  EPERM,
  type Architecture,
  type ArgumentRule,
} from "./seccomp-rules.ts";

/** linux/bpf_common.h */
const LOAD_WORD = 0x20;
const JUMP_EQUAL = 0x15;
const JUMP_GREATER_OR_EQUAL = 0x35;
const JUMP_ANY_BIT = 0x45;
const RETURN = 0x06;

/** linux/seccomp.h: offsets in struct seccomp_data, and what a filter may answer. */
const CALL_NUMBER = 0;
const ARCHITECTURE = 4;
const ARGUMENTS = 16;
const ALLOW = 0x7fff_0000;
const KILL_PROCESS = 0x8000_0000;
const ERRNO = 0x0005_0000;

/** From here on x64 numbers are those of the x32 calls, which no program here needs. */
const FIRST_X32_CALL = 0x4000_0000;

const INSTRUCTION_BYTES = 8;

type Place = "next" | "allow" | "refuse" | "absent" | "kill";

interface Step {
  readonly code: number;
  readonly value: number;
  readonly yes?: Place | number;
  readonly no?: Place | number;
}

/** The answers stand at the end, so that every jump goes forward. */
const ANSWERS = ["allow", "refuse", "absent", "kill"] as const satisfies readonly Place[];
const ANSWER_VALUES = { allow: ALLOW, refuse: ERRNO | EPERM, absent: ERRNO | ENOSYS, kill: KILL_PROCESS };

export function seccompFilter(architecture: string, network: boolean): Buffer | null {
  if (!isKnown(architecture)) return null;
  const numbers = (calls: Readonly<Record<string, Parameters<typeof callNumber>[0]>>): number[] =>
    Object.values(calls).map((each) => callNumber(each, architecture));
  return assemble([
    { code: LOAD_WORD, value: ARCHITECTURE },
    // Calls of another architecture (32 bits on a machine of 64) have other numbers: none is let through.
    { code: JUMP_EQUAL, value: AUDIT_ARCHITECTURES[architecture], no: "kill" },
    { code: LOAD_WORD, value: CALL_NUMBER },
    ...(architecture === "x64"
      ? [{ code: JUMP_GREATER_OR_EQUAL, value: FIRST_X32_CALL, yes: "absent" } as const]
      : []),
    ...numbers(DENIED_CALLS).map((value) => ({ code: JUMP_EQUAL, value, yes: "refuse" }) as const),
    ...numbers(ABSENT_CALLS).map((value) => ({ code: JUMP_EQUAL, value, yes: "absent" }) as const),
    ...Object.values(argumentRules(network)).flatMap((rule) => argumentSteps(rule, architecture)),
  ]);
}

function isKnown(architecture: string): architecture is Architecture {
  return Object.hasOwn(AUDIT_ARCHITECTURES, architecture);
}

/** A block of its own, left only by an answer: it replaces the number that later steps would compare. */
function argumentSteps(rule: ArgumentRule, architecture: Architecture): readonly Step[] {
  const code = rule.denied === "any_bit" ? JUMP_ANY_BIT : JUMP_EQUAL;
  const [hit, miss] =
    rule.denied === "all_but" ? (["allow", "refuse"] as const) : (["refuse", "allow"] as const);
  const compare = rule.values.map((value, at) => {
    return { code, value, yes: hit, no: at === rule.values.length - 1 ? miss : "next" } as const;
  });
  const number = callNumber(rule.numbers, architecture);
  return [
    { code: JUMP_EQUAL, value: number, no: compare.length + 1 },
    // Little-endian: the lower half of the 64 bits comes first.
    { code: LOAD_WORD, value: ARGUMENTS + 8 * rule.argument },
    ...compare,
  ];
}

function assemble(steps: readonly Step[]): Buffer {
  const all: readonly Step[] = [
    ...steps,
    ...ANSWERS.map((answer) => ({ code: RETURN, value: ANSWER_VALUES[answer] })),
  ];
  const program = Buffer.alloc(all.length * INSTRUCTION_BYTES);
  all.forEach(({ code, value, yes = "next", no = "next" }, at) => {
    const distance = (to: Place | number): number => {
      if (to === "next") return 0;
      return typeof to === "number" ? to : steps.length + ANSWERS.indexOf(to) - at - 1;
    };
    program.writeUInt16LE(code, at * INSTRUCTION_BYTES);
    program.writeUInt8(distance(yes), at * INSTRUCTION_BYTES + 2);
    program.writeUInt8(distance(no), at * INSTRUCTION_BYTES + 3);
    program.writeUInt32LE(value >>> 0, at * INSTRUCTION_BYTES + 4);
  });
  return program;
}
