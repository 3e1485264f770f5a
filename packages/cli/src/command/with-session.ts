import { AirlockError } from "@airlock/core/fault";
import { cliConfig } from "../config.ts";
import { dataFolder, openSession, redisUrlFor, type Session } from "../session/index.ts";
import type { CommandCall, CommandContext } from "./command.ts";

/**
 * Opens the session that --data, AIRLOCK_DATA and REDIS_URL name, and closes it at the end: for what only the machine
 * itself can do.
 */
export async function withSession<T>(
  call: CommandCall,
  context: CommandContext,
  use: (session: Session) => Promise<T>,
): Promise<T> {
  const { environment, errors } = context;
  refuseRemote(context);
  const config = cliConfig(environment);
  const data = dataFolder(context.folder, config, call.text("data"));
  const url = redisUrlFor({ environment, config, data });
  let closing = false;
  const onState = (state: "up" | "down"): void => {
    if (closing) return;
    errors.print(state === "down" ? "Redis does not answer; waiting" : "Redis answers again");
  };
  const session = await openSession({ url, data, onState });
  try {
    return await use(session);
  } finally {
    closing = true;
    session.close();
  }
}

/** For a command that can't be asked of a console. Throws USAGE. */
export function refuseRemote({ environment }: CommandContext): void {
  if ((environment["AIRLOCK_URL"] ?? "") === "") return;
  throw new AirlockError(
    "USAGE",
    "this command needs Redis and the keys of the installation itself; run it there, with AIRLOCK_URL unset",
  );
}

/** For a command about this machine: what is asked of others goes elsewhere. */
export function noteRemote({ environment, errors }: CommandContext): void {
  const url = environment["AIRLOCK_URL"] ?? "";
  if (url !== "")
    errors.print("AIRLOCK_URL is set: this is about this machine, other commands ask that console");
}
