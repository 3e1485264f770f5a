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
  if ((environment["AIRLOCK_URL"] ?? "") !== "") {
    throw new AirlockError(
      "USAGE",
      "this command needs Redis and the keys of the installation itself; run it there, with AIRLOCK_URL unset",
    );
  }
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
