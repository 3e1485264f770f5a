export { COMMANDS, runCommandLine } from "./commands.ts";
export { parseCommandLine } from "./parse.ts";
