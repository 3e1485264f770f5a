import { table } from "../view/index.ts";
import type { Command } from "./command.ts";

export function generalHelp(commands: Readonly<Record<string, Command>>): string {
  const rows = Object.entries(commands).map(([name, command]) => [`  ${name}`, command.summary]);
  return [
    "airlock runs the tool calls of coding agents only when they are complete, validated and authorized.",
    table(["Usage: airlock COMMAND [FLAGS]", ""], []),
    table(["Commands", ""], rows),
    "`airlock COMMAND --help` explains a command.",
  ].join("\n\n");
}

export function commandHelp(name: string, command: Command): string {
  const { positional } = command;
  const word =
    positional === null ? "" : positional.required ? ` ${positional.name}` : ` [${positional.name}]`;
  const flags = Object.entries(command.flags).map(([flag, { value, doc, multiple }]) => [
    `  --${flag}${value === null ? "" : ` ${value}`}`,
    multiple === true ? `${doc} (may be repeated)` : doc,
  ]);
  return [
    `Usage: airlock ${name}${word}${flags.length > 0 ? " [FLAGS]" : ""}`,
    command.details === undefined ? command.summary : `${command.summary}\n${command.details}`,
    ...(flags.length > 0 ? [table(["Flags", ""], flags)] : []),
  ].join("\n\n");
}
