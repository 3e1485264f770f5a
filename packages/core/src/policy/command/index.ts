export { permittedCommand, restrictedCommand, type CommandPattern } from "./command-pattern.ts";
export { splitSimpleCommand } from "./simple-command.ts";
export { WRAPPERS, WRAPPING_FLAGS, WRAPPING_SUBCOMMANDS } from "./wrappers.ts";
