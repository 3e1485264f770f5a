import { request as httpRequest } from "node:http";
import { readAudit } from "@airlock/console";
import { createKeyrings } from "@airlock/core/record";
import { createBullBoard } from "@bull-board/api";
import type { AppControllerRoute, IServerAdapter } from "@bull-board/api/typings/app";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  CONSOLE_ROLES,
  cookiesOf,
  passwordOf,
  startTestConsole,
  type TestConsole,
  type Visitor,
} from "../support/console.ts";
import { startRedis, type RedisServer } from "../support/redis-server.ts";

const keyrings = createKeyrings();
const PROXY = "proxy: { header: x-user, from: [127.0.0.1], users: [{ name: ada, roles: [approver] }] }";
const FAR_PROXY = "proxy: { header: x-user, from: [10.0.0.0/8], users: [{ name: ada, roles: [approver] }] }";

let server: RedisServer;
let console: TestConsole;
let viewer: Visitor;

beforeAll(async () => {
  server = await startRedis();
  console = await startTestConsole({ redis: server.redis, keyrings });
  viewer = await console.login("viewer");
});
afterAll(async () => {
  await console.close();
  await server.close();
});
/** What was guessed in one test is not to slow another. */
beforeEach(async () => {
  const counters = await server.redis.keys("airlock:console:logins:*");
  if (counters.length > 0) await server.redis.del(...counters);
});

/** A request with exactly these headers: `fetch` would not send another Host. */
function raw(
  url: string,
  path: string,
  {
    method = "GET",
    headers = {},
  }: { readonly method?: string; readonly headers?: Record<string, string | string[]> },
): Promise<number> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const sent = httpRequest({ hostname, port, path, method, headers, agent: false }, (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    });
    sent.once("error", reject);
    sent.end();
  });
}

function tryLogin(name: string, password: string, headers: Record<string, string> = {}): Promise<Response> {
  const body = new URLSearchParams({ name, password, next: "/" });
  return fetch(`${console.url}/login`, {
    method: "POST",
    redirect: "manual",
    headers: { origin: console.url, ...headers },
    body,
  });
}

function cookieHeader(cookies: Readonly<Record<string, string>>): string {
  return Object.entries(cookies)
    .map(([name, value]) => `${name}=${value}`)
    .join("; ");
}

async function withConsole(
  options: Partial<Parameters<typeof startTestConsole>[0]>,
  use: (own: TestConsole) => Promise<void>,
): Promise<void> {
  const own = await startTestConsole({ redis: server.redis, keyrings, ...options });
  try {
    await use(own);
  } finally {
    await own.close();
  }
}

describe("a session", () => {
  test("begins with a login and ends with a logout: its cookie opens nothing afterwards", async () => {
    const visitor = await console.login("operator");
    expect((await visitor.get("/board")).status).toBe(200);
    expect((await visitor.send("POST", "/logout")).status).toBe(303);
    expect((await visitor.get("/board")).status).toBe(303);
  });

  test("has another cookie after each login, and none that was sent along becomes one", async () => {
    const planted = "A".repeat(43);
    const answer = await tryLogin("viewer", passwordOf("viewer"), { cookie: `airlock=${planted}` });
    const first = cookiesOf(answer)["airlock"] ?? "";
    const again = await tryLogin("viewer", passwordOf("viewer"), { cookie: `airlock=${first}` });
    const second = cookiesOf(again)["airlock"] ?? "";
    expect(new Set([planted, first, second]).size).toBe(3);
    const open = async (cookie: string): Promise<number> =>
      (await fetch(`${console.url}/board`, { headers: { cookie: `airlock=${cookie}` }, redirect: "manual" }))
        .status;
    expect([await open(planted), await open(first), await open(second)]).toEqual([401, 401, 200]);
  });

  test("keeps its cookie from scripts, and over https from other hosts and plain connections", async () => {
    const plain = await tryLogin("viewer", passwordOf("viewer"));
    expect(plain.headers.getSetCookie()[0]).toMatch(/^airlock=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/);
    await withConsole({ config: { consoleOrigin: ["https://airlock.example"] } }, async (own) => {
      const cookies = await new Promise<readonly string[]>((resolve, reject) => {
        const { hostname, port } = new URL(own.url);
        const headers = {
          host: "airlock.example",
          origin: "https://airlock.example",
          "content-type": "application/x-www-form-urlencoded",
        };
        const sent = httpRequest({ hostname, port, path: "/login", method: "POST", headers }, (answer) => {
          answer.resume();
          resolve(answer.headers["set-cookie"] ?? []);
        });
        sent.once("error", reject);
        sent.end(`name=viewer&password=${passwordOf("viewer")}`);
      });
      expect(cookies[0]).toMatch(/^__Host-airlock=[\w-]{43}; Path=\/; HttpOnly; Secure; SameSite=Lax$/);
    });
  });

  test("lies in Redis under a digest: what a reader of Redis finds opens nothing", async () => {
    const { cookies } = viewer;
    const keys = await server.redis.keys("airlock:console:session:*");
    expect(keys.length).toBeGreaterThan(0);
    expect(keys.filter((key) => key.includes(cookies["airlock"] ?? "?"))).toEqual([]);
  });

  test("ends when it rests too long, and at its absolute end however busy it is", async () => {
    await withConsole({ config: { sessionIdleMs: 40 } }, async (own) => {
      const visitor = await own.login("viewer");
      await expect
        .poll(async () => (await visitor.get("/board", { accept: "*/*" })).status, { interval: 100 })
        .toBe(401);
    });
    await withConsole({ config: { sessionMs: 400 } }, async (own) => {
      const visitor = await own.login("viewer");
      await expect
        .poll(async () => (await visitor.get("/board", { accept: "*/*" })).status, { interval: 20 })
        .toBe(401);
    });
  });

  test("does not survive a change of its user's roles", async () => {
    const user = console.deps.users.users.find(({ name }) => name === "viewer");
    if (user === undefined) throw new Error("no viewer");
    const visitor = await console.login("viewer");
    const { roles } = user;
    user.roles = ["viewer", "operator"];
    const changed = (await visitor.get("/board", { accept: "*/*" })).status;
    user.roles = roles;
    expect(changed).toBe(401);
  });
});

describe("a login", () => {
  test("is slowed by name and address after five guesses, the right password included", async () => {
    const statuses: number[] = [];
    for (let guess = 0; guess < 5; guess += 1)
      statuses.push((await tryLogin("operator", `no-${guess}`)).status);
    const right = await tryLogin("operator", passwordOf("operator"));
    expect([...statuses, right.status]).toEqual([401, 401, 401, 401, 401, 429]);
    expect(Number(right.headers.get("retry-after"))).toBeGreaterThan(0);
    expect((await tryLogin("viewer", passwordOf("viewer"))).status).toBe(303);
  });

  test("counts guesses that are made at the same time", async () => {
    const guesses = Array.from({ length: 12 }, (_, at) => tryLogin("operator", `no-${at}`));
    const statuses = (await Promise.all(guesses)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 401)).toHaveLength(5);
  });

  test("answers alike whether there is such a user", async () => {
    const known = await tryLogin("operator", "wrong");
    const unknown = await tryLogin("nobody", "wrong");
    expect(unknown.status).toBe(known.status);
    expect(await unknown.text()).toBe(await known.text());
  });

  test.each([
    ["//evil.example/"],
    ["/\\evil.example"],
    ["https://evil.example"],
    ["/a\r\nset-cookie: x=1"],
    ["/%0d%0a\u0000"],
    ["javascript:alert(1)"],
  ])("leads to the first page rather than to %j", async (next) => {
    const body = new URLSearchParams({ name: "viewer", password: passwordOf("viewer"), next });
    const headers = { origin: console.url };
    const answer = await fetch(`${console.url}/login`, { method: "POST", redirect: "manual", headers, body });
    expect({ status: answer.status, place: answer.headers.get("location") }).toEqual({
      status: 303,
      place: "/",
    });
    expect(answer.headers.getSetCookie().filter((cookie) => cookie.startsWith("x="))).toEqual([]);
  });

  test("shows what was sent nowhere as HTML", async () => {
    const next = '/"><script>alert(1)</script>';
    const page = await fetch(`${console.url}/login?next=${encodeURIComponent(next)}`);
    expect(await page.text()).not.toContain("<script>alert");
  });
});

describe("a request that changes something", () => {
  test("is refused without the session's token, and with another session's", async () => {
    const other = await console.login("operator");
    const post = (csrf: string | null): Promise<Response> =>
      fetch(`${console.url}/logout`, {
        method: "POST",
        redirect: "manual",
        headers: {
          cookie: cookieHeader(viewer.cookies),
          origin: console.url,
          ...(csrf === null ? {} : { "x-csrf-token": csrf }),
        },
      });
    const statuses = [await post(null), await post(""), await post(other.csrf)].map(({ status }) => status);
    expect(statuses).toEqual([403, 403, 403]);
    expect((await viewer.get("/board")).status).toBe(200);
  });

  test("takes the token from a form as well, and from the header of Bull Board's client", async () => {
    for (const way of ["form", "header"]) {
      const visitor = await console.login("viewer");
      const answer = await fetch(`${console.url}/logout`, {
        method: "POST",
        redirect: "manual",
        headers: {
          cookie: cookieHeader(visitor.cookies),
          origin: console.url,
          ...(way === "header" ? { "x-xsrf-token": visitor.csrf } : {}),
        },
        ...(way === "form" ? { body: new URLSearchParams({ csrf: visitor.csrf }) } : {}),
      });
      expect({ way, status: answer.status }).toEqual({ way, status: 303 });
    }
  });

  test.each([
    ["another origin", { origin: "https://evil.example" }],
    ["a sandboxed page", { origin: "null" }],
    ["a site beside it", { origin: "http://127.0.0.1:1" }],
    ["no origin at all", {}],
    ["another site, as the browser says", { origin: "self", "sec-fetch-site": "cross-site" }],
    ["a sibling site, as the browser says", { origin: "self", "sec-fetch-site": "same-site" }],
  ])("is refused from %s", async (_, given: Record<string, string>) => {
    const origin = given["origin"] === "self" ? { origin: console.url } : {};
    const headers = { host: new URL(console.url).host, ...given, ...origin };
    const session = { cookie: cookieHeader(viewer.cookies), "x-csrf-token": viewer.csrf };
    expect(await raw(console.url, "/logout", { method: "POST", headers: { ...headers, ...session } })).toBe(
      403,
    );
    expect(await raw(console.url, "/login", { method: "POST", headers })).toBe(403);
  });

  test("is refused where it is larger than a form", async () => {
    const body = new URLSearchParams({ name: "viewer", password: "x".repeat(70_000) });
    const headers = { origin: console.url };
    expect((await fetch(`${console.url}/login`, { method: "POST", headers, body })).status).toBe(413);
  });
});

describe("a request", () => {
  test.each([["evil.example"], ["localhost.evil.example"], ["127.0.0.1"]])(
    "is refused for the host %j",
    async (host) => {
      expect(await raw(console.url, "/login", { headers: { host } })).toBe(421);
    },
  );

  test.each([
    ["/assets/../../package.json"],
    ["/board/static/..%2f..%2fpackage.json"],
    ["/board/static/%2e%2e/%2e%2e/package.json"],
    ["//etc/passwd"],
    ["/board/static/..\\..\\package.json"],
  ])("finds no file behind %s", async (path) => {
    const { host } = new URL(console.url);
    const headers = { host, cookie: cookieHeader(viewer.cookies) };
    expect([400, 403, 404]).toContain(await raw(console.url, path, { headers }));
  });

  test("without an identity is sent to the login, or told so", async () => {
    const page = await fetch(`${console.url}/board?x=1`, {
      redirect: "manual",
      headers: { accept: "text/html" },
    });
    expect(page.headers.get("location")).toBe("/login?next=%2Fboard%3Fx%3D1");
    const answer = await fetch(`${console.url}/api/v1/nothing`);
    expect(answer.headers.get("content-type")).toContain("application/problem+json");
    expect(await answer.json()).toMatchObject({ status: 401, code: "LOGIN" });
  });

  test("with a token that is not known is refused, without a word of it in answer, log or audit", async () => {
    const token = `airlock_${"x".repeat(43)}`;
    const answer = await fetch(`${console.url}/board`, { headers: { authorization: `Bearer ${token}` } });
    expect(answer.status).toBe(401);
    const audit = JSON.stringify(await readAudit(server.redis, { limit: 1_000 }));
    for (const text of [await answer.text(), JSON.stringify(console.log), audit]) {
      expect(text).not.toContain("xxxxxxxx");
    }
  });

  test("never leaves a token, a cookie or a password in the log or in Redis", async () => {
    await console.ask("operator", "GET", "/board/api/queues");
    await tryLogin("operator", "a-wrong-password");
    const visitor = await console.login("operator");
    await visitor.send("POST", "/logout");
    const secrets = [
      ...CONSOLE_ROLES.map((role) => console.tokens[role]),
      visitor.cookies["airlock"] ?? "?",
      "a-wrong-password",
      passwordOf("operator"),
    ];
    const audit = JSON.stringify(await readAudit(server.redis, { limit: 1_000 }));
    const texts = [JSON.stringify(console.log), audit, (await server.redis.keys("*")).join(" ")];
    expect(secrets.filter((secret) => texts.some((text) => text.includes(secret)))).toEqual([]);
  });

  test("is answered with headers that keep other origins and frames out", async () => {
    for (const path of ["/login", "/board", "/nothing", "/board/api/queues"]) {
      const { headers } = await viewer.get(path);
      const policy = headers.get("content-security-policy") ?? "";
      expect(policy).toContain("default-src 'self'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toMatch(/unsafe-(inline|eval)|https?:|\*/);
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect(headers.get("access-control-allow-origin")).toBeNull();
    }
  });
});

describe("an auth proxy's header", () => {
  const ask = (own: TestConsole, headers: Record<string, string | string[]>): Promise<number> =>
    raw(own.url, "/board", { headers: { host: new URL(own.url).host, ...headers } });

  test("counts from an address that is listed", async () => {
    await withConsole({ users: PROXY }, async (own) => {
      expect(await ask(own, { "x-user": "ada" })).toBe(200);
      expect(await ask(own, { "x-user": "eve" })).toBe(403);
      expect(await ask(own, { "x-user": ["ada", "eve"] })).toBe(403);
      expect(await ask(own, {})).toBe(401);
    });
  });

  test("is an attack from any other, whatever else the request says of itself", async () => {
    await withConsole({ users: FAR_PROXY }, async (own) => {
      const token = `Bearer ${own.tokens.operator}`;
      expect(await ask(own, { "x-user": "ada" })).toBe(403);
      expect(await ask(own, { "x-user": "ada", "x-forwarded-for": "10.0.0.1" })).toBe(403);
      expect(await ask(own, { "x-user": "ada", authorization: token })).toBe(403);
      expect(await ask(own, { authorization: token })).toBe(200);
    });
  });

  test("does not spare a form its token", async () => {
    await withConsole({ users: PROXY }, async (own) => {
      const headers = { host: new URL(own.url).host, origin: own.url, "x-user": "ada" };
      const page = await fetch(`${own.url}/board`, { headers: { "x-user": "ada" } });
      const csrf = cookiesOf(page)["XSRF-TOKEN"] ?? "";
      expect(await raw(own.url, "/logout", { method: "POST", headers })).toBe(403);
      expect(
        await raw(own.url, "/logout", { method: "POST", headers: { ...headers, "x-csrf-token": csrf } }),
      ).toBe(303);
    });
  });
});

describe("Bull Board", () => {
  const ANSWERS = ["/api/queues/:queueName/:jobId/promote", "/api/queues/:queueName/:jobId/clean"];

  /** Every write that this version of it can do, as it says itself. */
  function writes(): readonly { readonly method: string; readonly path: string }[] {
    const routes: AppControllerRoute[] = [];
    const spy: IServerAdapter = {
      setQueues: () => spy,
      setViewsPath: () => spy,
      setStaticPath: () => spy,
      setUIConfig: () => spy,
      setEntryRoute: () => spy,
      setErrorHandler: () => spy,
      setApiRoutes: (given) => {
        routes.push(...given);
        return spy;
      },
    };
    createBullBoard({ queues: [], serverAdapter: spy });
    return routes.flatMap(({ method, route }) =>
      [method]
        .flat()
        .flatMap((each) =>
          each === "get" ? [] : [route].flat().map((path) => ({ method: each.toUpperCase(), path })),
        ),
    );
  }

  const place = (path: string, queue = "approvals"): string =>
    `/board${path.replace(":queueName", queue).replace(/:\w+/g, "delayed")}`;

  test("has more writes than the two: the list below is not empty", () => {
    expect(writes().length).toBeGreaterThan(20);
    expect(writes().filter(({ path }) => ANSWERS.includes(path))).toHaveLength(2);
  });

  test.each(writes().filter(({ path }) => !ANSWERS.includes(path)))(
    "is refused $method $path, for whoever asks",
    async ({ method, path }) => {
      const everything = await console.login("everything");
      const body = method === "PUT" ? undefined : {};
      expect((await everything.send(method, place(path), body)).status).toBe(403);
      expect((await console.ask("operator", method, place(path), body)).status).toBe(403);
    },
  );

  test.each(ANSWERS)("lets nobody but an approver near %s, and on no other queue", async (path) => {
    const statuses = await Promise.all(
      CONSOLE_ROLES.map(async (role) => [role, (await console.ask(role, "PUT", place(path))).status]),
    );
    expect(Object.fromEntries(statuses)).toEqual({
      viewer: 403,
      submitter: 403,
      operator: 403,
      approver: 404,
    });
    expect((await console.ask("approver", "PUT", place(path, "turns"))).status).toBe(403);
  });

  test("serves a page without anything of another origin, and without a style of its own", async () => {
    const page = await (await viewer.get("/board")).text();
    expect(page).toContain('<base href="/board/"');
    expect(page).not.toMatch(/(?:href|src)="(?:https?:)?\/\//);
    expect(page).not.toMatch(/<style|style=/);
    const scripts = [...page.matchAll(/(?:src|href)="(static\/[^"]+)"/g)].map(([, file]) => file);
    expect(scripts.length).toBeGreaterThan(3);
    for (const file of scripts) expect((await viewer.get(`/board/${file}`)).status).toBe(200);
  });

  test("shows every queue, and no role but that of a viewer is needed", async () => {
    await server.redis.sadd("airlock:pools", "default");
    const answer = await console.ask("viewer", "GET", "/board/api/queues");
    const { queues }: { queues: readonly { name: string; readOnlyMode: boolean }[] } = JSON.parse(
      await answer.text(),
    );
    expect(queues.filter(({ readOnlyMode }) => !readOnlyMode).map(({ name }) => name)).toEqual(["approvals"]);
    expect(queues.map(({ name }) => name).toSorted()).toEqual(
      ["approvals", "commands", "executions.default", "items", "results", "turns"].toSorted(),
    );
    expect((await console.ask("submitter", "GET", "/board/api/queues")).status).toBe(403);
  });
});

describe("the audit", () => {
  test("tells who asked for what before it is done, and how it was answered", async () => {
    const path = "/board/api/queues/approvals/a-job/promote";
    await console.ask("approver", "PUT", path);
    await expect
      .poll(async () => (await readAudit(server.redis, { limit: 2 })).map(({ outcome }) => outcome))
      .toEqual(["404", "asked"]);
    const [, asked] = await readAudit(server.redis, { limit: 2 });
    expect(asked).toEqual({
      id: expect.any(String),
      request: expect.any(String),
      by: "ci-approver",
      via: "token",
      action: "PUT /board/api/queues/:queueName/:jobId/promote",
      target: "approvals a-job",
      outcome: "asked",
      address: "127.0.0.1",
    });
  });
});
