import { assertNever } from "../../fault/index.ts";
import { optionWidth, skipOptions, type OptionTable } from "./options.ts";
import { plainPart, type CommandPart } from "./part.ts";
import { splitSimpleCommand } from "./simple-command.ts";
import { isTameAwk, isTameSed } from "./tame-scripts.ts";
import type { Wrapper } from "./wrappers.ts";

export interface Unwrapped {
  readonly own: CommandPart;
  /** The commands that the wrapper runs, each a program with its words. */
  readonly payloads: readonly CommandPart[];
}

/** What a wrapper's words say; null when they, or what it would run, can't be read for certain. */
export function unwrap(wrapper: Wrapper, argv: readonly string[]): Unwrapped | null {
  switch (wrapper.kind) {
    case "prefix":
      return unwrapPrefix(wrapper, argv);
    case "environment":
      return unwrapEnvironment(wrapper.options, argv);
    case "shell":
      return unwrapShell(wrapper.options, argv);
    case "find":
      return unwrapFind(argv);
    case "awk":
      return unwrapAwk(wrapper.options, argv);
    case "sed":
      return unwrapSed(wrapper.options, argv);
    case "package_bin":
      return unwrapPackageBin(wrapper, argv);
    default:
      return assertNever(wrapper);
  }
}

type Of<Kind extends Wrapper["kind"]> = Extract<Wrapper, { readonly kind: Kind }>;

function unwrapPrefix(wrapper: Of<"prefix">, argv: readonly string[]): Unwrapped | null {
  const operandsAt = skipOptions(argv, 1, wrapper.options);
  if (operandsAt === null) return null;
  const operandsFit = wrapper.operands.every((form, index) => form.test(argv[operandsAt + index] ?? ""));
  const payloadAt = operandsAt + wrapper.operands.length;
  if (!operandsFit || payloadAt >= argv.length) return null;
  return {
    own: plainPart(argv.slice(0, payloadAt)),
    payloads: [plainPart(argv.slice(payloadAt), wrapper.appends)],
  };
}

function unwrapEnvironment(options: OptionTable, argv: readonly string[]): Unwrapped | null {
  const operandsAt = skipOptions(argv, 1, options);
  if (operandsAt === null) return null;
  const removed = argv.slice(1, operandsAt).flatMap((word) => {
    if (word.startsWith("--unset=")) return [word.slice("--unset=".length)];
    return word.startsWith("-") ? [] : [word];
  });
  let payloadAt = operandsAt;
  while (argv[payloadAt]?.includes("=") === true) payloadAt += 1;
  const rest = argv.slice(payloadAt);
  return {
    own: {
      argv: argv.slice(0, 1),
      assignments: [...removed, ...argv.slice(operandsAt, payloadAt)],
      undetermined: false,
    },
    payloads: rest.length === 0 ? [] : [plainPart(rest)],
  };
}

/** Letters that may stand beside `c`: none makes the shell read another file of the workspace, or its input. */
const SHELL_FLAGS = /^-[eul]*c[eul]*$/;

function unwrapShell(options: OptionTable, argv: readonly string[]): Unwrapped | null {
  let at = 1;
  while (options.alone.has(argv[at] ?? "")) at += 1;
  const [flags = "", text, ...others] = argv.slice(at);
  if (!SHELL_FLAGS.test(flags) || text === undefined || others.length > 0) return null;
  const payload = splitSimpleCommand(text);
  return payload === null ? null : { own: plainPart(argv.slice(0, at + 1)), payloads: [plainPart(payload)] };
}

/** Whether it runs in the folder of what is found, which nobody can know beforehand. */
const EXEC: ReadonlyMap<string, boolean> = new Map([
  ["-exec", false],
  ["-ok", false],
  ["-execdir", true],
  ["-okdir", true],
]);
const FOUND = "{}";

function unwrapFind(argv: readonly string[]): Unwrapped | null {
  const own: string[] = [];
  const payloads: CommandPart[] = [];
  for (let at = 0; at < argv.length; at += 1) {
    const word = argv[at] ?? "";
    const elsewhere = EXEC.get(word);
    if (elsewhere === undefined) {
      own.push(word);
      continue;
    }
    const end = endOfExec(argv, at + 1);
    const payload = argv.slice(at + 1, end ?? at + 1);
    if (end === null || payload.length === 0 || !payload.every(isWhollyFound)) return null;
    payloads.push(plainPart(payload, elsewhere));
    at = end;
  }
  return { own: plainPart(own), payloads };
}

function endOfExec(argv: readonly string[], start: number): number | null {
  for (let at = start; at < argv.length; at += 1) {
    if (argv[at] === ";" || (argv[at] === "+" && argv[at - 1] === FOUND)) return at;
  }
  return null;
}

/** A path that find puts into a longer word could become anything: a flag, a part of a script. */
function isWhollyFound(word: string, index: number): boolean {
  return !word.includes(FOUND) || (word === FOUND && index > 0);
}

function unwrapAwk(options: OptionTable, argv: readonly string[]): Unwrapped | null {
  const programAt = skipOptions(argv, 1, options);
  const program = programAt === null ? undefined : argv[programAt];
  if (programAt === null || program === undefined || !isTameAwk(program)) return null;
  return { own: plainPart(argv.toSpliced(programAt, 1)), payloads: [] };
}

/** Options may stand anywhere in sed's words; its scripts are taken out of them. */
function unwrapSed(options: OptionTable, argv: readonly string[]): Unwrapped | null {
  const own = argv.slice(0, 1);
  const operands: string[] = [];
  const scripts: string[] = [];
  for (let at = 1; at < argv.length;) {
    const width = argv[at] === "-" ? 0 : optionWidth(argv, at, options);
    if (width === null) return null;
    if (argv[at] === "--") {
      if (argv.slice(at + 1).some((word) => word.startsWith("-"))) return null;
      operands.push(...argv.slice(at + 1));
      break;
    }
    const [word = "", value = ""] = argv.slice(at, at + 2);
    if (width === 0) operands.push(word);
    else if (width === 2) scripts.push(value);
    else if (word.includes("=")) scripts.push(word.slice(word.indexOf("=") + 1));
    else own.push(word);
    at += Math.max(width, 1);
  }
  const script = scripts.length === 0 ? operands.shift() : undefined;
  if (script !== undefined) scripts.push(script);
  if (scripts.length === 0 || !scripts.every(isTameSed)) return null;
  return { own: plainPart([...own, ...operands]), payloads: [] };
}

const PACKAGE_BIN = /^[a-z0-9][a-z0-9._-]*$/;

function unwrapPackageBin(wrapper: Of<"package_bin">, argv: readonly string[]): Unwrapped | null {
  const start = wrapper.sub === null ? 1 : 2;
  if (wrapper.sub !== null && argv[1] !== wrapper.sub) return { own: plainPart(argv), payloads: [] };
  const payloadAt = skipOptions(argv, start, wrapper.options);
  if (payloadAt === null) return null;
  const [name = "", ...words] = argv.slice(payloadAt);
  const dashesFit = !wrapper.needsDashes || argv[payloadAt - 1] === "--";
  const allOptions = [...wrapper.options.alone].every((option) =>
    argv.slice(start, payloadAt).includes(option),
  );
  if (!PACKAGE_BIN.test(name) || !dashesFit || !allOptions) return null;
  return {
    own: plainPart(argv.slice(0, payloadAt).filter((word) => word !== "--")),
    // Its folder is part of its name: what lies there is another program than the one that the system has.
    payloads: [plainPart([`node_modules/.bin/${name}`, ...words])],
  };
}
