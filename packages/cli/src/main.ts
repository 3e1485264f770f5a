import { AirlockError } from "@airlock/core/fault";
import { COMMANDS, runCommandLine } from "./command/index.ts";
import { processEnvironment } from "./config.ts";
import { createScreen } from "./view/index.ts";

const out = createScreen(process.stdout);
const errors = createScreen(process.stderr);

// A reader such as `head` may leave early: that is the end of the output, not an error.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(0);
  throw error;
});

try {
  const context = { environment: processEnvironment(), folder: process.cwd(), out, errors };
  process.exitCode = await runCommandLine(COMMANDS, process.argv.slice(2), context);
} catch (error) {
  if (!(error instanceof AirlockError)) throw error;
  errors.print(`${errors.style("red", "airlock:")} ${error.message}`);
  process.exitCode = 2;
}
