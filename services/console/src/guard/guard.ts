// Every request passes here first: address, origin, identity, role, token, audit. What is not allowed is refused.
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from "fastify";
import type { Deps } from "../deps.ts";
import { addressMatcher, identify, type ConsoleRole, type Principal } from "../identity/index.ts";
import { sessionCookieOf, setCsrfCookie } from "../session/cookies.ts";
import { addressOf } from "./address.ts";
import { carriesToken, proxyTokens } from "./csrf.ts";
import { refuse, type Refusal } from "./refusal.ts";
import { RESPONSE_HEADERS, STRICT_TRANSPORT } from "./response-headers.ts";

/** What a route asks for: a role, `any` of them, none at all (`public`), or what nobody has. */
export type RouteRole = ConsoleRole | "any" | "public" | "nobody";

declare module "fastify" {
  interface FastifyContextConfig {
    readonly role?: RouteRole | readonly ConsoleRole[];
  }
  interface FastifyRequest {
    principal: Principal | null;
    /** to be sent back with whatever changes something; empty where none is needed */
    csrf: string;
  }
}

const SAFE: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

export function registerGuard(app: FastifyInstance, deps: Deps): void {
  const isProxy = addressMatcher(deps.users.proxy?.from ?? []);
  const proxyToken = proxyTokens(deps.keyring);
  const seen: RouteOptions[] = [];
  app.decorateRequest("principal", null);
  app.decorateRequest("csrf", "");
  app.addHook("onRoute", (route) => void seen.push(route));
  app.addHook("onReady", async () => assertRoles(seen));

  app.addHook("onRequest", async (request, reply) => {
    const { origins, secure } = addressOf(request, deps);
    reply.headers({ ...RESPONSE_HEADERS, ...(secure ? STRICT_TRANSPORT : {}) });
    const misplaced = placeProblem(request, origins);
    if (misplaced !== null) return refuse(request, reply, misplaced);
    const identified = identify(request.raw, { users: deps.users, isProxy });
    switch (identified.kind) {
      case "refused":
        return refuse(request, reply, IDENTITY_REFUSALS[identified.why]);
      case "known":
        request.principal = identified.principal;
        if (identified.principal.via === "proxy") {
          request.csrf = proxyToken(identified.principal.name);
          setCsrfCookie(reply, request.csrf, secure);
        }
        break;
      case "none":
        await joinSession(request, deps, secure);
    }
    const lacking = roleProblem(request);
    if (lacking !== null) return refuse(request, reply, lacking);
  });

  app.addHook("preHandler", async (request, reply) => {
    if (SAFE.has(request.method) || request.is404) return;
    const { principal } = request;
    // the login, which may come from a page that was open before, and tells of itself; its origin was looked at above
    if (principal === null || request.routeOptions.config.role === "public") return;
    if (principal.via !== "token" && !carriesToken(request, request.csrf)) {
      return refuse(request, reply, "CSRF");
    }
    await tellAudit(deps, request, "asked");
  });

  app.addHook("onResponse", async (request, reply) => {
    await tellOutcome(deps, request, reply);
  });
}

const IDENTITY_REFUSALS = {
  token: "TOKEN",
  proxy: "PROXY",
  stranger: "STRANGER",
} as const satisfies Record<string, Refusal>;

async function joinSession(request: FastifyRequest, deps: Deps, secure: boolean): Promise<void> {
  const cookie = sessionCookieOf(request, secure);
  const session = cookie === null ? null : await deps.sessions.find(cookie);
  if (session === null) return;
  request.principal = session.principal;
  request.csrf = session.csrf;
}

/** Another `Host` is another site that points here; another `Origin`, or none where a browser sends one, is a forged form. */
function placeProblem({ method, headers }: FastifyRequest, origins: readonly string[]): Refusal | null {
  const { host = "", origin, authorization } = headers;
  if (!origins.some((each) => new URL(each).host === host)) return "HOST";
  if (origin !== undefined && !SAFE.has(method) && !origins.includes(origin)) return "ORIGIN";
  if (SAFE.has(method) || authorization !== undefined) return null;
  const site = headers["sec-fetch-site"];
  if (site !== undefined && site !== "same-origin") return "ORIGIN";
  return origin === undefined ? "ORIGIN" : null;
}

function roleProblem(request: FastifyRequest): Refusal | null {
  const { principal } = request;
  const role = request.is404 ? "any" : (request.routeOptions.config.role ?? "nobody");
  if (role === "public") return null;
  if (principal === null) return "LOGIN";
  if (role === "any") return null;
  if (role === "nobody") return "ROLE";
  const wanted = typeof role === "string" ? [role] : role;
  return wanted.some((each) => principal.roles.has(each)) ? null : "ROLE";
}

/** Deny by default, told at the start: a route that says nothing of its role never comes to serve. */
function assertRoles(routes: readonly RouteOptions[]): void {
  const open = routes.filter(({ config }) => config?.role === undefined).map(({ url }) => url);
  if (open.length > 0) throw new Error(`these routes name no role: ${open.join(", ")}`);
}

async function tellOutcome(deps: Deps, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const { principal, method, is404 } = request;
  const status = reply.statusCode;
  if (status >= 400) {
    deps.log.write(status >= 500 ? "error" : "info", "console_refused", {
      action: actionOf(request),
      status,
    });
  }
  if (SAFE.has(method) || is404 || principal === null) return;
  await tellAudit(deps, request, String(status));
}

async function tellAudit({ audit }: Deps, request: FastifyRequest, outcome: string): Promise<void> {
  const { principal, ip, id } = request;
  if (principal === null) return;
  const target = Object.values(request.params ?? {}).join(" ");
  const { name: by, via } = principal;
  await audit.write({ by, via, action: actionOf(request), target, outcome, address: ip, request: id });
}

/** The route's pattern: a path itself may quote anything. */
function actionOf({ method, routeOptions }: FastifyRequest): string {
  return `${method} ${routeOptions.url ?? "(no route)"}`;
}
