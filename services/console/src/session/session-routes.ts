// A name and a password in, a new session out; refuses guesses that come too fast and places that lie elsewhere.
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import type { Deps } from "../deps.ts";
import { addressOf } from "../guard/address.ts";
import { hashPassword, matchesPassword } from "../identity/index.ts";
import { loginPage, type LoginProblem } from "../page/login-page.ts";
import { clearSessionCookies, sessionCookieOf, setSessionCookies } from "./cookies.ts";
import { createLoginLimit } from "./login-limit.ts";

const loginForm = z.object({
  name: z.string().min(1).max(128),
  password: z.string().min(1).max(1_024),
  next: z.string().max(2_048).optional(),
});

export async function registerSessionRoutes(app: FastifyInstance, deps: Deps): Promise<void> {
  const limit = createLoginLimit(deps.redis);
  // compared with where there is no such user, so that both take as long
  const nobody = await hashPassword("");

  app.get("/login", { config: { role: "public" } }, async (request, reply) => {
    const { next } = z.object({ next: z.string().optional() }).parse(request.query);
    if (request.principal !== null) return reply.redirect(safePlace(next), 303);
    return html(reply, 200, loginPage({ problem: null, next: safePlace(next) }));
  });

  app.post("/login", { config: { role: "public" } }, async (request, reply) => {
    const form = loginForm.safeParse(request.body);
    if (!form.success) return html(reply, 400, loginPage({ problem: "incomplete", next: "/" }));
    const { name, password, next } = form.data;
    const refuse = async (status: number, problem: LoginProblem): Promise<FastifyReply> => {
      await tellLogin(deps, request, { name, outcome: problem });
      return html(reply, status, loginPage({ problem, next: safePlace(next) }));
    };
    const waitMs = await limit.take(name, request.ip);
    if (waitMs > 0) {
      reply.header("retry-after", Math.ceil(waitMs / 1_000));
      return refuse(429, "slowed");
    }
    const user = deps.users.users.find((each) => each.name === name);
    const matches = await matchesPassword(password, user?.password ?? nobody);
    if (user === undefined || !matches) return refuse(401, "wrong");
    await limit.forget(name, request.ip);
    const { secure } = addressOf(request, deps);
    const before = sessionCookieOf(request, secure);
    if (before !== null) await deps.sessions.close(before);
    await tellLogin(deps, request, { name, outcome: "opened" });
    setSessionCookies(reply, await deps.sessions.open(user), secure);
    return reply.redirect(safePlace(next), 303);
  });

  app.post("/logout", { config: { role: "any" } }, async (request, reply) => {
    const { secure } = addressOf(request, deps);
    const cookie = sessionCookieOf(request, secure);
    if (cookie !== null) await deps.sessions.close(cookie);
    clearSessionCookies(reply, secure);
    return reply.redirect("/login", 303);
  });
}

async function tellLogin(
  deps: Deps,
  request: FastifyRequest,
  { name, outcome }: { readonly name: string; readonly outcome: "opened" | LoginProblem },
): Promise<void> {
  await deps.audit.write({ by: name, via: "session", action: "login", outcome, address: request.ip });
  deps.log.write(outcome === "opened" ? "info" : "warn", "console_login", { outcome });
}

/** A path of ours, or the first page: what a browser could take for another host is no path. */
export function safePlace(next: string | undefined): string {
  if (next === undefined || !/^\/(?![/\\])[\x21-\x7e]*$/.test(next) || next.includes("\\")) return "/";
  return next;
}

function html(reply: FastifyReply, status: number, text: string): FastifyReply {
  return reply.status(status).type("text/html; charset=utf-8").send(text);
}
