// An open stream in, its end out once the session under which it was opened is over: the guard has let it in, and sees no
// further request of it. A token's or a proxy's names change with the users file alone, which is read at the start.
import type { FastifyRequest } from "fastify";
import type { Deps } from "../deps.ts";
import { addressOf } from "../guard/address.ts";
import { sessionCookieOf } from "./cookies.ts";

const LOOK_MS = 2_000;

/** Gives what stops the looking. A Redis that doesn't answer ends nothing: there is nothing to be told then either. */
export function whileSession(
  request: FastifyRequest,
  deps: Pick<Deps, "config" | "sessions">,
  end: () => void,
): () => void {
  const cookie = sessionCookieOf(request, addressOf(request, deps).secure);
  if (request.principal?.via !== "session" || cookie === null) return () => undefined;
  let looking = false;
  const look = async (): Promise<void> => {
    if (looking) return;
    looking = true;
    const stands = await deps.sessions.stands(cookie).catch(() => true);
    looking = false;
    if (!stands) end();
  };
  const timer = setInterval(() => void look(), LOOK_MS);
  return () => clearInterval(timer);
}
