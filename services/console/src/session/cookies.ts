import type { FastifyReply, FastifyRequest } from "fastify";

/** Bull Board's client reads the second and sends it back in a header; it opens nothing by itself. */
const NAMES = {
  secure: { session: "__Host-airlock", csrf: "XSRF-TOKEN" },
  plain: { session: "airlock", csrf: "XSRF-TOKEN" },
} as const;

type Names = (typeof NAMES)[keyof typeof NAMES];

/** Over https the browser itself keeps other hosts and plain connections from setting the session's cookie. */
function namesFor(secure: boolean): Names {
  return secure ? NAMES.secure : NAMES.plain;
}

export function sessionCookieOf(request: FastifyRequest, secure: boolean): string | null {
  return request.cookies[namesFor(secure).session] ?? null;
}

export function setSessionCookies(
  reply: FastifyReply,
  { cookie, csrf }: { readonly cookie: string; readonly csrf: string },
  secure: boolean,
): void {
  const names = namesFor(secure);
  // Lax: a link from a chat opens the console signed in; whatever changes something is checked by Origin and token besides
  reply.setCookie(names.session, cookie, { path: "/", httpOnly: true, sameSite: "lax", secure });
  setCsrfCookie(reply, csrf, secure);
}

export function setCsrfCookie(reply: FastifyReply, csrf: string, secure: boolean): void {
  reply.setCookie(namesFor(secure).csrf, csrf, { path: "/", sameSite: "strict", secure });
}

export function clearSessionCookies(reply: FastifyReply, secure: boolean): void {
  const names = namesFor(secure);
  reply.clearCookie(names.session, { path: "/", httpOnly: true, sameSite: "lax", secure });
  reply.clearCookie(names.csrf, { path: "/", sameSite: "strict", secure });
}
