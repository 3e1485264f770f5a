export {
  permittedCommand,
  restrictedCommand,
  type CommandPattern,
  type PartTest,
} from "./command-pattern.ts";
export { commandSchema } from "./command-schema.ts";
export { commandFolder, operandPaths, type OperandPaths } from "./operands.ts";
export type { CommandLimits, CommandPart, CommandParts } from "./part.ts";
export { commandParts } from "./parts.ts";
export { permittingProblems, restrictingProblems, type PatternProblem } from "./pattern-problems.ts";
export { splitSimpleCommand } from "./simple-command.ts";
