import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createKeyrings } from "@airlock/core/record";
import { decisionKeeper } from "@airlock/core/runtime";
import { globalKeys } from "@airlock/core/store";
import { startTestConsole, type TestConsole } from "../support/console.ts";
import { program } from "../support/programs.ts";
import { startRedis, type RedisServer } from "../support/redis-server.ts";
import { ROOT } from "../support/root.ts";
import { seedRun, type SeededRun } from "../support/seeded-run.ts";

const ROUTES = `routes:
  gateway: { family: responses, baseUrl: "http://127.0.0.1:9", models: ["m*"] }
`;

let server: RedisServer;
let desk: TestConsole;
let data: string;
let seeded: SeededRun;
let installation: Parameters<typeof seedRun>[0];
/** What each backend's commands find in their environment: beside the keys, or with a token and nothing else. */
let places: Readonly<Record<"direct" | "http", Readonly<Record<string, string>>>>;

beforeAll(async () => {
  server = await startRedis();
  const keyrings = createKeyrings();
  installation = { redis: server.redis, keyrings };
  desk = await startTestConsole({ ...installation, routes: ROUTES });
  data = await mkdtemp(path.join(tmpdir(), "airlock-backends-"));
  await mkdir(path.join(data, "keys"), { mode: 0o700 });
  for (const role of ["client", "approver"] as const) {
    await writeFile(path.join(data, `keys/${role}.json`), JSON.stringify(keyrings[role]), { mode: 0o600 });
  }
  await writeFile(path.join(data, "routes.yaml"), ROUTES);
  seeded = await seedRun(installation, {
    labels: { team: "shop" },
    turns: [
      [
        { tool: "read_file", state: "EXECUTED", arguments: { path: "a.txt" } },
        {
          tool: "run_command",
          state: "AWAITING_APPROVAL",
          arguments: { argv: ["npm", "test"] },
          expiresInMs: 600_000,
        },
      ],
    ],
  });
  const response = {
    timestamp: "2026-01-01T00:00:00.000Z",
    run_id: seeded.run,
    request_id: `${seeded.run}.1.1.end`,
    model_id: "m",
    provider_family: "responses",
    endpoint_family: "responses-1",
    http_status: 200,
    stream_terminal_seen: true,
    raw_finish_signal: "completed",
    normalized_outcome: "action_required",
    input_tokens: 1,
    output_tokens: 1,
    response_bytes: 1,
    tool_calls_present: true,
    schema_valid: true,
    retry_count: 0,
    decision: "unlock_effects",
  } as const;
  decisionKeeper(server.redis, [])("response", response);
  places = {
    direct: {
      REDIS_URL: server.url,
      AIRLOCK_DATA: data,
      AIRLOCK_ROUTES: path.join(data, "routes.yaml"),
    },
    http: { AIRLOCK_URL: desk.url, AIRLOCK_TOKEN: desk.tokens.viewer, AIRLOCK_DATA: "/nonexistent" },
  };
});
afterAll(async () => {
  await desk.close();
  await server.close();
  await rm(data, { recursive: true, force: true });
});

async function airlock(env: Readonly<Record<string, string>>, args: readonly string[]) {
  const child = spawn(process.execPath, [...program("packages/cli"), ...args], {
    cwd: ROOT,
    env: { PATH: process.env["PATH"] ?? "", ...env },
  });
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString("utf8")));
  child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString("utf8")));
  const [code]: readonly unknown[] = await once(child, "close");
  return { code, stdout, stderr };
}

describe("a command says the same beside the keys and with a token alone", () => {
  test.each([
    ["runs", "--json"],
    ["show", "RUN", "--json"],
    ["events", "RUN", "--json"],
    ["diff", "RUN", "--json"],
    ["report", "RUN", "--format", "junit"],
    ["approvals", "list", "--json"],
    ["quarantine", "list", "--json", "--state", "all"],
    ["ledger", "list", "--json"],
    ["routes", "--json"],
    ["pools", "--json"],
    ["decisions", "--json", "--sample", "5"],
    ["tools", "--json"],
    ["kill", "list", "--json"],
    ["show", "r00000000000000000000"],
  ])("%s %s %s", async (...words) => {
    const args = words.map((word) => (word === "RUN" ? seeded.run : word));
    const [direct, http] = await Promise.all([airlock(places.direct, args), airlock(places.http, args)]);
    expect(http).toEqual(direct);
    expect(`${direct.stdout}${direct.stderr}`).not.toBe("");
  });
});

test("a list of calls that wait is whole, however many pages it has, and may be held to its first", async () => {
  const call = { tool: "run_command", state: "AWAITING_APPROVAL", expiresInMs: 900_000 } as const;
  const turns = [Array.from({ length: 120 }, () => call)];
  const more = [await seedRun(installation, { turns }), await seedRun(installation, { turns })];
  try {
    const list = async (place: "direct" | "http", ...args: readonly string[]) => {
      const { stdout } = await airlock(places[place], ["approvals", "list", "--json", ...args]);
      return (JSON.parse(stdout) as readonly { readonly itemKey: string }[]).map(({ itemKey }) => itemKey);
    };
    const waiting = [seeded, ...more].map(({ run }) => run);
    for (const place of ["direct", "http"] as const) {
      const all = await list(place);
      expect([all.length, new Set(all).size]).toEqual([241, 241]);
      expect(new Set(all.map((item) => item.split(".")[0]))).toEqual(new Set(waiting));
      expect(await list(place, "--limit", "3")).toEqual(all.slice(0, 3));
    }
  } finally {
    const items = more.flatMap(({ itemKeys }) => itemKeys.flat());
    await server.redis.zrem(globalKeys.approvals, ...items);
  }
});

describe("with a token alone", () => {
  const approvals = (token: string, ...args: readonly string[]) =>
    airlock({ ...places.http, AIRLOCK_TOKEN: token }, ["approvals", ...args]);

  test("an approver sees what would run, answers it once, and is told that it is answered", async () => {
    const item = seeded.itemKeys[0]?.[1] ?? "";
    const shown = await approvals(desk.tokens.approver, "show", item, "--json");
    expect(JSON.parse(shown.stdout)).toMatchObject({ evidence: { shown: { argv: ["npm", "test"] } } });
    const deny = ["deny", item, "--reason", "not now"];
    expect((await approvals(desk.tokens.approver, ...deny)).code).toBe(0);
    const again = await approvals(desk.tokens.approver, ...deny);
    expect([again.code === 0, /answered/.test(`${again.stdout}${again.stderr}`)]).toEqual([false, true]);
  });

  test.each<[string, Readonly<Record<string, string>>, RegExp]>([
    ["an unknown token", { AIRLOCK_TOKEN: `airlock_${"x".repeat(43)}` }, /does not know this token/],
    ["a role that may not", { AIRLOCK_TOKEN: "SUBMITTER" }, /roles don't allow/],
    ["no token", { AIRLOCK_TOKEN: "" }, /AIRLOCK_TOKEN/],
    ["an address where nothing listens", { AIRLOCK_URL: "http://127.0.0.1:60999" }, /nothing listens/],
    ["an address that is none", { AIRLOCK_URL: "localhost:8090" }, /AIRLOCK_URL/],
  ])("%s is told with what to do", async (_, changed, said) => {
    const named = { ...places.http, ...changed };
    const env =
      named["AIRLOCK_TOKEN"] === "SUBMITTER" ? { ...named, AIRLOCK_TOKEN: desk.tokens.submitter } : named;
    const { code, stderr } = await airlock(env, ["approvals", "list"]);
    expect([code, stderr]).toEqual([2, expect.stringMatching(said)]);
  });
});
