// Takes a command's argv, gives every program that it would start with that program's own words, and refuses what
// can't be read for certain or exceeds a limit: then nothing of it is permitted.
import { baseName, plainPart, type CommandLimits, type CommandPart, type CommandParts } from "./part.ts";
import { isReadable } from "./readable-text.ts";
import { unwrap } from "./unwrap.ts";
import { WRAPPERS } from "./wrappers.ts";

const MAX_WORDS = 256;
const MAX_CHARACTERS = 65_536;

interface Pending {
  readonly part: CommandPart;
  readonly depth: number;
}

export function commandParts(argv: readonly string[], limits: CommandLimits): CommandParts {
  const parts: CommandPart[] = [];
  const pending: Pending[] = [{ part: plainPart(argv), depth: 0 }];
  const refuse = (reason: string, unread: readonly Pending[]): CommandParts => {
    return { ok: false, reason, parts: [...parts, ...unread.map(({ part }) => part)] };
  };
  const problem = wordsProblem(argv);
  if (problem !== null) return refuse(problem, pending);

  for (let next = pending.shift(); next !== undefined; next = pending.shift()) {
    if (parts.length >= limits.commands) {
      return refuse(`the command holds more than ${limits.commands} commands: limits.commands`, [
        next,
        ...pending,
      ]);
    }
    const read = readPart(next);
    if (read === null) {
      return refuse("what a program in this command would run can't be read for certain", [next, ...pending]);
    }
    parts.push(read.part);
    pending.unshift(...read.payloads);
    if (read.payloads.length > 0 && next.depth >= limits.wrapperDepth) {
      return refuse(
        `more than ${limits.wrapperDepth} programs around a command: limits.wrapperDepth`,
        pending,
      );
    }
  }
  return { ok: true, parts };
}

function readPart({ part, depth }: Pending): { part: CommandPart; payloads: readonly Pending[] } | null {
  const wrapper = WRAPPERS.get(baseName(part.argv[0] ?? ""));
  if (wrapper === undefined) return { part, payloads: [] };
  const unwrapped = unwrap(wrapper, part.argv);
  if (unwrapped === null) return null;
  const withEnd = (found: CommandPart): CommandPart => ({
    ...found,
    undetermined: found.undetermined || part.undetermined,
  });
  return {
    part: withEnd(unwrapped.own),
    payloads: unwrapped.payloads.map((payload) => ({ part: withEnd(payload), depth: depth + 1 })),
  };
}

function wordsProblem(argv: readonly string[]): string | null {
  const [program = ""] = argv;
  if (program === "" || program.startsWith("-") || program.includes("="))
    return "the first word names no program";
  const characters = argv.reduce((sum, word) => sum + word.length, 0);
  if (argv.length > MAX_WORDS || characters > MAX_CHARACTERS) {
    return `a command has at most ${MAX_WORDS} words and ${MAX_CHARACTERS} characters`;
  }
  if (!argv.every(isReadable))
    return "a word holds characters that can't be seen or could be read in two ways";
  return null;
}
