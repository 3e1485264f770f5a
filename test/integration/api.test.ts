import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createAirlockClient, FollowRefused, followRun } from "@airlock/client";
import { openApiText } from "@airlock/console";
import { countQueues } from "@airlock/core/queue";
import { createKeyrings, newRunId } from "@airlock/core/record";
import { globalKeys, runKeys } from "@airlock/core/store";
import { readAsked } from "@airlock/operator/document";
import { signAnswer } from "@airlock/operator/order";
import { seedRun } from "../support/seeded-run.ts";
import { ROOT } from "../support/root.ts";
import { startTestConsole, type TestConsole } from "../support/console.ts";
import { startRedis, type RedisServer } from "../support/redis-server.ts";

const SPEC = { route: "gateway", model: "m", instructions: "", input: "do it", policy: "ci-default" };

const keyrings = createKeyrings();

let server: RedisServer;
let desk: TestConsole;

beforeAll(async () => {
  server = await startRedis();
  desk = await startTestConsole({ redis: server.redis, keyrings });
});
afterAll(async () => {
  await desk.close();
  await server.close();
});

async function submit(key: string | null, spec: unknown = SPEC): Promise<Response> {
  return fetch(`${desk.url}/api/v1/runs`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${desk.tokens.submitter}`,
      "content-type": "application/json",
      ...(key === null ? {} : { "idempotency-key": key }),
    },
    body: JSON.stringify({ spec }),
  });
}

async function commands(): Promise<number> {
  const [count] = await countQueues(server.redis, ["commands"]);
  return count?.waiting ?? 0;
}

describe("a submission", () => {
  test("gives the same run for the same key and body, and one command", async () => {
    const before = await commands();
    const [first, second] = await Promise.all([submit("one"), submit("one")]);
    const ids = [await first.json(), await second.json()];
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(ids[0]).toEqual(ids[1]);
    expect(await (await submit("one")).json()).toEqual(ids[0]);
    expect((await commands()) - before).toBe(1);
  });

  test("is a conflict for the key with another body, and gives the first one's run to nobody else", async () => {
    await submit("two");
    const other = await submit("two", { ...SPEC, input: "something else" });
    expect(other.status).toBe(409);
    expect(other.headers.get("content-type")).toContain("application/problem+json");
    expect(await other.json()).toEqual({
      type: "urn:airlock:problem:idempotency-conflict",
      title: "the idempotency key was used with another body",
      status: 409,
      code: "IDEMPOTENCY_CONFLICT",
    });
  });

  test("that was cut off between its key and its command is finished under the same id", async () => {
    const { id } = (await (await submit("three")).json()) as { readonly id: string };
    await server.redis.del(runKeys(id).spec);
    expect(await (await submit("three")).json()).toEqual({ id });
    expect(await server.redis.exists(runKeys(id).spec)).toBe(1);
  });

  test("names every place that does not fit, and quotes nothing", async () => {
    const bad = await submit(null, { ...SPEC, input: "", tols: ["s3cret"] });
    expect(bad.status).toBe(400);
    const text = await bad.text();
    expect(JSON.parse(text)).toMatchObject({
      code: "REQUEST_INVALID",
      problems: [{ path: "body/spec/input" }, { path: "body/spec" }],
    });
    expect(text).not.toContain("s3cret");
  });

  test("may not play a contract scenario", async () => {
    expect((await submit(null, { ...SPEC, contract: "text" })).status).toBe(400);
  });

  test("that is too large is refused with a problem document", async () => {
    const huge = await submit(null, { ...SPEC, input: "x".repeat(9_000_000) });
    expect(huge.status).toBe(413);
    expect(await huge.json()).toMatchObject({ code: "TOO_LARGE" });
  });
});

describe("who may", () => {
  const item = `${newRunId()}.1.1.0`;
  test.each([
    ["submitter", "GET", "/approvals"],
    ["submitter", "POST", `/approvals/${item}/approve`],
    ["viewer", "POST", "/runs"],
    ["viewer", "GET", `/approvals/${item}`],
    ["viewer", "POST", `/approvals/${item}/deny`],
    ["viewer", "POST", `/runs/${newRunId()}/cancel`],
    ["viewer", "GET", `/calls/${item}/ledger`],
    ["approver", "POST", `/runs/${newRunId()}/requeue`],
    ["approver", "POST", "/kill-switches"],
    ["operator", "POST", `/approvals/${item}/approve`],
  ] as const)("%s may not %s %s", async (role, method, path) => {
    const answer = await desk.ask(role, method, `/api/v1${path}`, method === "POST" ? {} : undefined);
    expect(answer.status).toBe(403);
    expect(await answer.json()).toMatchObject({ code: "ROLE", status: 403 });
  });

  test("an answer that is handed in answers for the call of its path only", async () => {
    const call = { tool: "write_file", state: "AWAITING_APPROVAL" } as const;
    const { itemKeys } = await seedRun({ redis: server.redis, keyrings }, { turns: [[call, call]] });
    const [one = "", other = ""] = itemKeys.flat();
    const asked = await readAsked({ redis: server.redis, keyring: keyrings.console }, one);
    if (asked === null) throw new Error("nobody asks");
    const said = { answer: "approve", approver: "ana", reason: "", at: asked.ask.askedAt } as const;
    const record = signAnswer(keyrings.approver, asked.ask, said);
    const handIn = (path: string) =>
      desk.ask("approver", "POST", `/api/v1/approvals/${path}/answers`, { record });
    const crossed = await handIn(other);
    expect(crossed.status).toBe(400);
    expect(await crossed.json()).toMatchObject({ code: "RECORD_INVALID" });
    expect(await server.redis.exists(runKeys(asked.ask.run).approval(one))).toBe(0);
    expect((await handIn(one)).status).toBe(200);
  });

  test("a submitter does not learn of runs that others submitted, not even that they are there", async () => {
    const foreign = newRunId();
    const run = {
      state: "running",
      route: "r",
      model: "m",
      policy: "p",
      requestedBy: "someone",
      labels: "{}",
    };
    await server.redis.hset(runKeys(foreign).run, { ...run, createdAt: "1" });
    const seen = await desk.ask("submitter", "GET", `/api/v1/runs/${foreign}`);
    const absent = await desk.ask("submitter", "GET", `/api/v1/runs/${newRunId()}`);
    expect([seen.status, absent.status]).toEqual([404, 404]);
    expect((await desk.ask("viewer", "GET", `/api/v1/runs/${foreign}`)).status).toBe(200);
  });

  test("nobody without a token gets anything but a problem", async () => {
    const answer = await fetch(`${desk.url}/api/v1/runs`);
    expect([answer.status, await answer.json()]).toMatchObject([401, { code: "LOGIN" }]);
  });
});

describe("the events of a run", () => {
  async function eventful(): Promise<string> {
    const run = newRunId();
    const { redis } = server;
    const fields = {
      state: "completed",
      route: "r",
      model: "m",
      policy: "p",
      requestedBy: "x",
      labels: "{}",
    };
    await redis.hset(runKeys(run).run, { ...fields, createdAt: "1", endedAt: "2" });
    const add = async (event: object): Promise<void> =>
      void (await redis.xadd(runKeys(run).events, "*", "e", JSON.stringify(event)));
    await add({ type: "run_admitted", route: "r", model: "m" });
    await add({ type: "turn_closed", turn: 1 });
    await add({ type: "run_ended", state: "completed", errorClass: null });
    return run;
  }
  const options = () => ({ url: desk.url, token: desk.tokens.viewer });

  test("come in order, each once, however often the connection is cut, and end with the run", async () => {
    const run = await eventful();
    let connections = 0;
    const cutting = async (request: Request): Promise<Response> => {
      connections += 1;
      const response = await fetch(request);
      const [first, ...rest] = (await response.text())
        .split(/(?<=\n\n)/)
        .filter((part) => part.startsWith("id:"));
      return new Response(connections < 3 ? first : [first, ...rest].join(""), { status: 200 });
    };
    const types: string[] = [];
    const following = { ...options(), fetch: cutting };
    for await (const { event } of followRun(following, { run, signal: new AbortController().signal })) {
      types.push(event.type);
    }
    expect({ types, connections }).toEqual({
      types: ["run_admitted", "turn_closed", "run_ended"],
      connections: 3,
    });
  });

  test("behind the end are none, and the stream is over at once", async () => {
    const run = await eventful();
    const [last] = await server.redis.xrevrange(runKeys(run).events, "+", "-", "COUNT", 1);
    const answer = await desk.ask("viewer", "GET", `/api/v1/runs/${run}/events?after=${last?.[0]}`);
    expect([answer.status, (await answer.text()).replaceAll(":\n\n", "")]).toEqual([200, ""]);
  });

  test("of a run that nobody submitted are refused, and the client says why", async () => {
    const following = followRun(options(), { run: newRunId(), signal: new AbortController().signal });
    await expect(following.next()).rejects.toThrow(FollowRefused);
  });

  test.each(["x", "1", "0-", "$"])("behind %j are refused: that is no place", async (after) => {
    const run = await eventful();
    expect((await desk.ask("viewer", "GET", `/api/v1/runs/${run}/events?after=${after}`)).status).toBe(400);
  });
});

test("a list goes on where its page ended, and its client's types are the document's", async () => {
  const client = createAirlockClient({ url: desk.url, token: desk.tokens.viewer });
  const { data, response } = await client.GET("/runs", { params: { query: { limit: 10 } } });
  expect([response.status, Array.isArray(data?.runs)]).toEqual([200, true]);
  const { error } = await client.GET("/runs", { params: { query: { cursor: "nonsense" } } });
  expect(error).toMatchObject({ code: "USAGE", status: 400 });
});

test("more requests than a name may make are told when to come again", async () => {
  const busy = await startTestConsole({
    redis: server.redis,
    keyrings: createKeyrings(),
    config: { apiRequestsPerMinute: 2 },
  });
  const { redis } = server;
  for (const key of await redis.keys(`${globalKeys.consoleRate}*`)) await redis.del(key);
  try {
    const answers = [];
    for (let at = 0; at < 3; at += 1) answers.push(await busy.ask("viewer", "GET", "/api/v1/pools"));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 429]);
    expect(Number(answers[2]?.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(await answers[2]?.json()).toMatchObject({ code: "TOO_MANY" });
    expect((await busy.ask("operator", "GET", "/api/v1/pools")).status).toBe(200);
  } finally {
    await busy.close();
  }
});

test("docs/openapi.json is what the schemas say", async () => {
  const written = readFileSync(path.join(ROOT, "docs/openapi.json"), "utf8");
  expect(JSON.parse(written)).toEqual(JSON.parse(await openApiText()));
  expect((await desk.ask("viewer", "GET", "/api/v1/openapi.json")).status).toBe(200);
});

test("the client's types are what docs/openapi.json gives", () => {
  const folder = path.join(ROOT, "packages/client");
  const bin = path.join(folder, "node_modules/.bin/openapi-typescript");
  const made = spawnSync(bin, [path.join(ROOT, "docs/openapi.json")], { encoding: "utf8" });
  expect(made.stdout).toBe(readFileSync(path.join(folder, "src/generated/api.ts"), "utf8"));
});
