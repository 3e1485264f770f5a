export type { Command, CommandCall, CommandContext, Flag } from "./command.ts";
export { COMMANDS, runCommandLine } from "./commands.ts";
export { parseCommandLine, type CommandTable, type Parsed } from "./parse.ts";
