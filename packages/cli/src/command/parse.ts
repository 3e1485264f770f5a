// Words of a command line in, a command with its flags out; refuses unknown commands and flags by name.
import { parseArgs, type ParseArgsConfig } from "node:util";
import { AirlockError } from "@airlock/core/fault";
import type { Command, CommandCall } from "./command.ts";
import { commandHelp, generalHelp } from "./help.ts";

export type CommandTable = Readonly<Record<string, Command>>;
export type Parsed =
  | { readonly kind: "help"; readonly text: string }
  | { readonly kind: "call"; readonly command: Command; readonly call: CommandCall };

export function parseCommandLine(commands: CommandTable, words: readonly string[]): Parsed {
  const [first, ...rest] = words;
  if (first === undefined || HELP.has(first) || first === "help") {
    const asked = first === "help" ? commandNamed(commands, rest) : undefined;
    return { kind: "help", text: asked === undefined ? generalHelp(commands) : commandHelp(...asked) };
  }
  const named = commandNamed(commands, words);
  if (named === undefined) return groupHelp(commands, first, rest);
  const [name, command] = named;
  const given = words.slice(name.split(" ").length);
  const { values, positionals } = parseFlags(name, command, given);
  if (values["help"] === true) return { kind: "help", text: commandHelp(name, command) };
  return { kind: "call", command, call: callOf(values, positional(name, command, positionals)) };
}

const HELP: ReadonlySet<string> = new Set(["--help", "-h"]);

/** A command is named by one word, or by two: `policy test`. */
function commandNamed(commands: CommandTable, words: readonly string[]): [string, Command] | undefined {
  for (const name of [words.slice(0, 2).join(" "), words[0] ?? ""]) {
    const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
    if (command !== undefined) return [name, command];
  }
  return undefined;
}

/** What the first word alone stands for: the commands that begin with it. */
function groupHelp(commands: CommandTable, first: string, rest: readonly string[]): Parsed {
  const group = Object.entries(commands).filter(([name]) => name.startsWith(`${first} `));
  if (group.length > 0 && HELP.has(rest[0] ?? "")) {
    return { kind: "help", text: generalHelp(Object.fromEntries(group)) };
  }
  const names = (group.length > 0 ? group.map(([name]) => name) : Object.keys(commands)).join(", ");
  const asked = group.length > 0 ? [first, ...rest.slice(0, 1)].join(" ") : first;
  throw new AirlockError("USAGE", `"${asked}" is not a command; there are ${names}`);
}

type Values = Readonly<Record<string, unknown>>;

function parseFlags(
  name: string,
  command: Command,
  words: readonly string[],
): { readonly values: Values; readonly positionals: readonly string[] } {
  const options: NonNullable<ParseArgsConfig["options"]> = { help: { type: "boolean", short: "h" } };
  for (const [flag, { value, multiple }] of Object.entries(command.flags)) {
    options[flag] = { type: value === null ? "boolean" : "string", multiple: multiple ?? false };
  }
  try {
    return parseArgs({ args: [...words], options, allowPositionals: true, strict: true });
  } catch (cause) {
    const [message] = cause instanceof Error ? cause.message.split(". ") : ["it can't be read"];
    throw new AirlockError("USAGE", `${message}; \`airlock ${name} --help\` lists the flags`, { cause });
  }
}

function positional(name: string, command: Command, given: readonly string[]): string | undefined {
  const [first, ...others] = given;
  const { positional: wanted } = command;
  const tooMany = wanted === null ? first : others[0];
  if (tooMany !== undefined) {
    throw new AirlockError("USAGE", `"${tooMany}" is one word too many; see \`airlock ${name} --help\``);
  }
  if (wanted?.required === true && first === undefined) {
    throw new AirlockError(
      "USAGE",
      `\`airlock ${name}\` needs ${wanted.name}; see \`airlock ${name} --help\``,
    );
  }
  return first;
}

function callOf(values: Values, positional: string | undefined): CommandCall {
  return {
    positional,
    on: (flag) => values[flag] === true,
    text: (flag) => {
      const value = values[flag];
      return typeof value === "string" ? value : undefined;
    },
    list: (flag) => {
      const value = values[flag];
      return Array.isArray(value) ? value.filter((entry) => typeof entry === "string") : [];
    },
  };
}
