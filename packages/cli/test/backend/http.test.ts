import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterEach, expect, test, vi } from "vitest";
import { openBackend } from "../../src/backend/index.ts";
import type { Environment } from "../../src/config.ts";

const folder = mkdtempSync(path.join(tmpdir(), "airlock-http-"));
const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  closers.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const address = server.address();
  return `http://127.0.0.1:${address !== null && typeof address === "object" ? address.port : 0}`;
}

/** A command's backend where neither Redis nor keys are. */
function backendAt(url: string, more: Environment = { AIRLOCK_TOKEN: "secret-token" }, waits: number[] = []) {
  return openBackend({
    environment: { AIRLOCK_URL: url, ...more },
    folder,
    data: undefined,
    by: undefined,
    onState: () => undefined,
    onWait: (seconds) => void waits.push(seconds),
  });
}

const json = (body: unknown): string => JSON.stringify(body);
const problem =
  (status: number, body: object): RequestListener =>
  (_, response) =>
    void response.writeHead(status, { "content-type": "application/problem+json" }).end(json(body));

test.each<readonly [string, RequestListener, object]>([
  [
    "an unknown token",
    problem(401, { title: "The token is not known", code: "TOKEN" }),
    { code: "CONSOLE_REFUSED", message: expect.stringMatching(/does not know this token.*console token/) },
  ],
  [
    "a role that doesn't allow it",
    problem(403, { title: "Your roles don't allow this", code: "ROLE" }),
    { code: "CONSOLE_REFUSED", message: expect.stringContaining("this token's roles don't allow that") },
  ],
  [
    "a run that isn't there",
    problem(404, { title: "no such run", detail: "r1", code: "RUN_NOT_FOUND" }),
    { code: "RUN_NOT_FOUND", detail: "r1" },
  ],
  [
    "another server's page",
    (_, response) => void response.writeHead(404, { "content-type": "text/html" }).end("<h1>Not here"),
    { code: "CONSOLE_REFUSED", message: expect.stringContaining("no Airlock API version 1") },
  ],
  [
    "a page where a document should be",
    (_, response) => void response.writeHead(200, { "content-type": "text/html" }).end("<h1>Hello"),
    { code: "CONSOLE_REFUSED", message: expect.stringContaining("is no Airlock console") },
  ],
  [
    "a fault of the console",
    problem(500, { title: "Something went wrong", code: "FAILED" }),
    { code: "CONSOLE_UNAVAILABLE", message: expect.stringContaining("Something went wrong") },
  ],
])("%s is told with what to do, and never with the token", async (_, listener, expected) => {
  const error: unknown = await backendAt(await serve(listener))
    .run("r1")
    .catch((caught: unknown) => caught);
  expect(error).toMatchObject(expected);
  expect(json(error) + String(error)).not.toContain("secret-token");
});

test("a redirect is refused, and its target sees nothing", async () => {
  let seen = 0;
  const target = await serve((_, response) => void response.end(String((seen += 1))));
  const url = await serve((_, response) => void response.writeHead(302, { location: `${target}/x` }).end());
  await expect(backendAt(url).runs(5)).rejects.toMatchObject({
    code: "CONSOLE_REFUSED",
    message: expect.stringContaining(target),
  });
  expect(seen).toBe(0);
});

test("a busy console is asked again after the time that it names", async () => {
  let asked = 0;
  const url = await serve((_, response) => {
    asked += 1;
    if (asked === 1) return void response.writeHead(429, { "retry-after": "0.05" }).end();
    response.writeHead(200, { "content-type": "application/json" }).end(json({ runs: [] }));
  });
  const waits: number[] = [];
  expect(await backendAt(url, undefined, waits).runs(5)).toEqual([]);
  expect({ asked, waits }).toEqual({ asked: 2, waits: [0.05] });
});

test("a console that wants too long a wait is not waited for", async () => {
  const url = await serve((_, response) => void response.writeHead(429, { "retry-after": "3600" }).end());
  await expect(backendAt(url).runs(5)).rejects.toMatchObject({
    message: expect.stringContaining("still asks to wait"),
  });
});

test("what can't be reached says why: nothing there, or no TLS", async () => {
  const url = await serve((_, response) => void response.end());
  await expect(backendAt(url.replace("http:", "https:")).pools()).rejects.toMatchObject({
    code: "CONSOLE_UNAVAILABLE",
    message: expect.stringContaining("does not speak TLS"),
  });
  for (const close of closers.splice(0)) await close();
  await expect(backendAt(url).pools()).rejects.toMatchObject({
    code: "CONSOLE_UNAVAILABLE",
    message: expect.stringContaining("nothing listens there"),
  });
});

test.each<readonly [Environment, RegExp]>([
  [{}, /either AIRLOCK_TOKEN or AIRLOCK_TOKEN_FILE/],
  [{ AIRLOCK_TOKEN: "a", AIRLOCK_TOKEN_FILE: "b" }, /either AIRLOCK_TOKEN or AIRLOCK_TOKEN_FILE/],
  [{ AIRLOCK_TOKEN: "two words" }, /AIRLOCK_TOKEN is no token/],
  [{ AIRLOCK_TOKEN_FILE: "nowhere" }, /AIRLOCK_TOKEN_FILE .*nowhere can't be read \(ENOENT\)/],
])("the settings %j are refused before anything is asked", (environment, message) => {
  expect(() => backendAt("http://127.0.0.1:1", environment)).toThrow(message);
});

test.each(["ftp://h", "nonsense", "http://user:word@h", "http://h/?a=b"])(
  "%s is no console's address",
  (url) => {
    expect(() => backendAt(url)).toThrow(/AIRLOCK_URL has to be/);
  },
);

test("the token comes from a file, and a path before the API is kept", async () => {
  const file = path.join(folder, "token");
  writeFileSync(file, "from-file\n", { mode: 0o600 });
  let seen: unknown;
  const url = await serve((request, response) => {
    seen = { url: request.url, authorization: request.headers.authorization };
    response.writeHead(200, { "content-type": "application/json" }).end(json({ pools: [] }));
  });
  expect(await backendAt(`${url}/airlock/`, { AIRLOCK_TOKEN_FILE: file }).pools()).toEqual([]);
  expect(seen).toEqual({ url: "/airlock/api/v1/pools", authorization: "Bearer from-file" });
  rmSync(folder, { recursive: true, force: true });
});

test("a stream that breaks goes on after the last event, until the run has ended", async () => {
  const event = (id: string, type: object) =>
    `id: ${id}\ndata: ${json({ at: "2020-01-01T00:00:00.000Z", event: type })}\n\n`;
  const asked: unknown[] = [];
  const url = await serve((request, response) => {
    asked.push(request.headers["last-event-id"]);
    response.writeHead(200, { "content-type": "text/event-stream" });
    if (asked.length > 1) {
      response.end(event("7-1", { type: "run_ended", state: "completed", errorClass: null }));
      return;
    }
    response.write(event("5-0", { type: "pool_awaited" }) + event("6-0", { type: "of_a_newer_console" }));
    setImmediate(() => response.destroy());
  });
  const types: string[] = [];
  for await (const { event: each } of backendAt(url).follow("r1", AbortSignal.timeout(10_000)))
    types.push(each.type);
  expect({ types, asked }).toEqual({ types: ["pool_awaited", "run_ended"], asked: [undefined, "6-0"] });
});

test("a stream whose request has been collected as garbage still ends with its signal", async () => {
  setFlagsFromString("--expose-gc");
  const collect: () => void = runInNewContext("gc");
  let closed = false;
  const url = await serve((request, response) => {
    response.on("close", () => (closed = true));
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(
      `id: 5-0\ndata: ${json({ at: "2020-01-01T00:00:00.000Z", event: { type: "pool_awaited" } })}\n\n`,
    );
  });
  const leave = new AbortController();
  const events = backendAt(url).follow("r1", leave.signal)[Symbol.asyncIterator]();
  expect((await events.next()).value).toMatchObject({ event: { type: "pool_awaited" } });
  const next = events.next();
  for (let round = 0; round < 5; round += 1) {
    await sleep(10);
    collect();
  }
  leave.abort();
  expect(await Promise.race([next, sleep(5_000, "still open")])).toEqual({ done: true, value: undefined });
  await vi.waitFor(() => expect(closed).toBe(true));
});

test("content that only the installation's keys open is refused with the way to it", () => {
  const backend = backendAt("http://127.0.0.1:1");
  expect(() => backend.quarantined("r1", { raw: true })).toThrow(/--raw .* AIRLOCK_URL unset/);
});
