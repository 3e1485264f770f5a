import { openBackend, type Backend } from "../backend/index.ts";
import type { CommandCall, CommandContext } from "./command.ts";

/** Opens the backend that the environment, --data and --as name, and closes it at the end. */
export async function withBackend<T>(
  call: CommandCall,
  { environment, folder, errors }: CommandContext,
  use: (backend: Backend) => Promise<T>,
): Promise<T> {
  let closing = false;
  const backend = openBackend({
    environment,
    folder,
    data: call.text("data"),
    by: call.text("as"),
    onState: (state) => {
      if (!closing) errors.print(state === "down" ? "Redis does not answer; waiting" : "Redis answers again");
    },
    onWait: (seconds) => errors.print(`the console is busy and asks to wait ${Math.ceil(seconds)} s`),
  });
  try {
    return await use(backend);
  } finally {
    closing = true;
    backend.close();
  }
}
