// The head of a request in, who asks out; refuses one that claims to be someone and can't show it.
import type { IncomingMessage } from "node:http";
import { withIncluded, type Principal } from "./roles.ts";
import { findToken } from "./token.ts";
import type { Users } from "./users.ts";

export type Identified =
  | { readonly kind: "known"; readonly principal: Principal }
  /** neither token nor proxy: a session may say who it is */
  | { readonly kind: "none" }
  | { readonly kind: "refused"; readonly why: "token" | "proxy" | "stranger" };

/** A token first, then what the proxy says; a proxy's header from any other address is an attack, not a mistake. */
export function identify(
  request: Pick<IncomingMessage, "headers" | "socket">,
  { users, isProxy }: { readonly users: Users; readonly isProxy: (address: string) => boolean },
): Identified {
  const { proxy } = users;
  const said = proxy?.header === undefined ? undefined : request.headers[proxy.header];
  if (said !== undefined && !isProxy(request.socket.remoteAddress ?? "")) {
    return { kind: "refused", why: "proxy" };
  }
  const { authorization } = request.headers;
  if (authorization !== undefined) return byToken(users, authorization);
  if (said === undefined) return { kind: "none" };
  // sent twice it arrives as one text with a comma, which is nobody's name
  const user = proxy?.users.find(({ name }) => name === said);
  if (user === undefined) return { kind: "refused", why: "stranger" };
  return known(user, "proxy");
}

function byToken(users: Users, authorization: string): Identified {
  const [, token = ""] = /^Bearer ([\w-]+)$/i.exec(authorization) ?? [];
  const entry = findToken(users.tokens, token);
  return entry === null ? { kind: "refused", why: "token" } : known(entry, "token");
}

function known(
  { name, roles }: { readonly name: string; readonly roles: Users["users"][number]["roles"] },
  via: Principal["via"],
): Identified {
  return { kind: "known", principal: { name, roles: withIncluded(roles), via } };
}
