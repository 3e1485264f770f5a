import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { ResponseBody } from "@airlock/core/contract";
import { createCancelBoard, createPublisher, messageOf, sendCancel, watchCancels } from "@airlock/core/queue";
import { openSealed, signedRecordSchema } from "@airlock/core/record";
import {
  createRouteBreaker,
  createRouteLimiter,
  createStreamerStore,
  rememberPieces,
  parseRoutes,
  readAttempt,
  readRun,
  type RunHash,
} from "@airlock/core/run";
import { globalKeys, runKeys } from "@airlock/core/store";
import { Agent } from "undici";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { onTurn } from "../../services/streamer/src/attempt/on-turn.ts";
import type { Deps as StreamerDeps } from "../../services/streamer/src/deps.ts";
import { startRedis, type RedisServer } from "../support/redis-server.ts";
import { vouchFor } from "../support/route-trust.ts";
import { createTestValidator, type TestValidator } from "../support/test-validator.ts";

/** One response of Messages: its blocks, and why it stopped. */
interface Answer {
  readonly blocks: readonly object[];
  readonly stop: string;
  readonly sequence?: string;
}

const PATIENT = { mismatches: 100, windowMs: 60_000, openMs: 60_000, probeMs: 60_000 };
const never = new AbortController().signal;

/** In place of a stop reason: the answer begins and never ends. */
const HANGS = "hangs";

let server: RedisServer;
let onHang: (response: ServerResponse) => void;
let validator: TestValidator;
let streamer: StreamerDeps;
let answers: Answer[];
let requests: Readonly<Record<string, unknown>>[];

const api = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    requests.push(JSON.parse(Buffer.concat(chunks).toString("utf8")) as Readonly<Record<string, unknown>>);
    const answer = answers.shift();
    response.writeHead(answer === undefined ? 400 : 200, { "content-type": "text/event-stream" });
    if (answer?.stop === HANGS) return onHang(response);
    response.end(answer === undefined ? "" : streamOf(answer));
  });
});

function streamOf({ blocks, stop, sequence }: Answer): string {
  const frames = [
    {
      type: "message_start",
      message: { id: "msg", content: [], usage: { input_tokens: 1, output_tokens: 1 } },
    },
    ...blocks.flatMap((block, index) => [
      { type: "content_block_start", index, content_block: block },
      { type: "content_block_stop", index },
    ]),
    { type: "message_delta", delta: { stop_reason: stop, stop_sequence: sequence ?? null } },
    { type: "message_stop" },
  ];
  return frames.map((frame) => `event: ${frame.type}\ndata: ${JSON.stringify(frame)}\n\n`).join("");
}

beforeAll(async () => {
  server = await startRedis();
  api.listen(0, "127.0.0.1");
  await once(api, "listening");
  const { redis } = server;
  const baseUrl = `http://127.0.0.1:${(api.address() as AddressInfo).port}`;
  validator = createTestValidator(
    redis,
    { name: "claude", family: "anthropic" },
    createRouteBreaker(redis, PATIENT),
  );
  const keyring = validator.keyrings.streamer;
  streamer = {
    config: {
      routes: "",
      tools: "",
      cometapiKey: "",
      cometapiBaseUrl: baseUrl,
      maxMessageBytes: 2 ** 24,
      maxStreamBytes: 2 ** 26,
      maxArgumentBytes: 2 ** 20,
      maxItems: 128,
    },
    redis,
    keyring,
    pieceOpener: rememberPieces(1_000_000),
    store: createStreamerStore(redis),
    publisher: createPublisher({ redis, keyring }),
    routes: parseRoutes(
      `routes: { claude: { family: anthropic, baseUrl: '${baseUrl}', models: ['**'] } }`,
      "routes.yaml",
    ),
    limiter: createRouteLimiter(redis),
    catalog: validator.deps.catalog,
    log: validator.deps.log,
    metrics: validator.deps.metrics,
    dispatcher: new Agent(),
    owner: "test",
    cancels: createCancelBoard(),
  };
});
afterAll(async () => {
  await streamer.publisher.close();
  await streamer.dispatcher.close();
  await validator.close();
  api.close();
  await server.close();
});
beforeEach(async () => {
  await server.redis.flushall();
  answers = [];
  requests = [];
  validator.logged.length = 0;
});
afterEach(() => validator.turns.obliterate({ force: true }));

function verifyRoute(): Promise<void> {
  const { redis } = server;
  return vouchFor(
    { redis, keyrings: validator.keyrings },
    { route: "claude", family: "anthropic", covers: "m" },
  );
}

/** Plays a run against the API's answers until no attempt is on the queue. */
async function play(
  spec: Readonly<Record<string, unknown>>,
  given: readonly Answer[],
  change: (end: ResponseBody) => ResponseBody = (end) => end,
): Promise<RunHash> {
  answers = [...given];
  const run = await validator.submit(spec);
  for (;;) {
    const [job] = await validator.turns.getJobs(["waiting", "delayed", "prioritized"]);
    if (job === undefined) break;
    await job.remove();
    const record = signedRecordSchema.parse((job.data as { readonly record: unknown }).record);
    const message = messageOf(record);
    if (message.purpose !== "turn") throw new Error("not a turn");
    await onTurn(streamer, { body: message.body, record, signal: never });
    const attempt = await readAttempt(server.redis, message.body);
    const end = messageOf(signedRecordSchema.parse(JSON.parse(attempt?.record ?? "null")));
    if (end.purpose !== "response") throw new Error("not a response");
    await validator.respond(change(end.body));
  }
  const hash = await readRun(server.redis, run);
  if (hash === null) throw new Error("no run");
  return { ...hash, artifact: artifactOf(run, hash) };
}

function artifactOf(run: string, { artifact }: RunHash): string | undefined {
  const place = { seal: "run", place: `${runKeys(run).run}#artifact` } as const;
  return artifact === undefined ? undefined : openSealed(validator.keyrings.client, place, artifact);
}

function text(content: string): object {
  return { type: "text", text: content };
}

const SEARCH = { type: "server_tool_use", id: "s1", name: "web_search", input: {} };
const FOUND = { type: "web_search_tool_result", tool_use_id: "s1", content: [] };
const GO = { role: "user", content: [text("go")] };

describe("a paused turn", () => {
  test("is sent again as it came, and the run goes on with what follows", async () => {
    await verifyRoute();
    const run = await play({}, [
      { blocks: [SEARCH], stop: "pause_turn" },
      { blocks: [FOUND, text("Found.")], stop: "end_turn" },
    ]);
    expect(run).toMatchObject({ state: "completed", artifact: "Found.", turn: 2, continuations: 1 });
    expect(requests.map(({ messages }) => messages)).toEqual([
      [GO],
      [GO, { role: "assistant", content: [SEARCH] }],
    ]);
    expect(validator.logged).toContain("continue_turn");
  });

  test("gives one output with what follows it, as it was written", async () => {
    await verifyRoute();
    const run = await play({}, [
      { blocks: [text("Looking. "), SEARCH], stop: "pause_turn" },
      { blocks: [FOUND, text("Found\n")], stop: "pause_turn" },
      { blocks: [text("it.")], stop: "end_turn" },
    ]);
    expect(run).toMatchObject({ state: "completed", artifact: "Looking. Found\nit.", continuations: 2 });
  });

  test("gives one output with a cut text that goes on behind it", async () => {
    await verifyRoute();
    const run = await play({ onTruncated: "continue" }, [
      { blocks: [text("Looking. "), SEARCH], stop: "pause_turn" },
      { blocks: [text("Found \n")], stop: "max_tokens" },
      { blocks: [text(" it.")], stop: "end_turn" },
    ]);
    expect(run).toMatchObject({ state: "completed", artifact: "Looking. Found it.", continuations: 2 });
  });

  test("is sent again no more often than the run allows", async () => {
    await verifyRoute();
    const paused = { blocks: [SEARCH], stop: "pause_turn" };
    const run = await play({ limits: { continuations: 2 } }, [paused, paused, paused, paused]);
    expect(run).toMatchObject({ state: "escalated", errorClass: "CONTINUATIONS_EXHAUSTED" });
    expect(requests).toHaveLength(3);
  });

  test("is not sent again on a route without reports", async () => {
    const run = await play({}, [{ blocks: [SEARCH], stop: "pause_turn" }]);
    expect(run).toMatchObject({ state: "escalated", errorClass: "ROUTE_UNVERIFIED" });
    expect(requests).toHaveLength(1);
  });
});

describe("a cut text", () => {
  const spec = { onTruncated: "continue", expect: { kind: "report", sections: ["A", "B"] } };

  test("is continued where it was cut, and judged as one", async () => {
    await verifyRoute();
    const run = await play(spec, [
      { blocks: [text("# A\none \n")], stop: "max_tokens" },
      { blocks: [text("\n# B\ntw")], stop: "max_tokens" },
      { blocks: [text("o")], stop: "end_turn" },
    ]);
    expect(run).toMatchObject({ state: "completed", artifact: "# A\none\n# B\ntwo", continuations: 2 });
    expect(requests.map(({ messages }) => messages)).toEqual([
      [GO],
      [GO, { role: "assistant", content: [text("# A\none")] }],
      [GO, { role: "assistant", content: [text("# A\none"), text("\n# B\ntw")] }],
    ]);
  });

  test("that is not what was expected even as a whole is corrected, and the correction stands by itself", async () => {
    await verifyRoute();
    const run = await play(spec, [
      { blocks: [text("# A\n")], stop: "max_tokens" },
      { blocks: [text("\nno more")], stop: "end_turn" },
      { blocks: [text("# A\n1\n# B\n2")], stop: "end_turn" },
    ]);
    expect(run).toMatchObject({ state: "completed", artifact: "# A\n1\n# B\n2", corrections: 1 });
  });

  test("is not continued on a route without reports, and never beside a call", async () => {
    const cut = { blocks: [text("# A")], stop: "max_tokens" };
    expect(await play(spec, [cut])).toMatchObject({ state: "escalated", errorClass: "ROUTE_UNVERIFIED" });
    await verifyRoute();
    const call = { type: "tool_use", id: "t", name: "read_file", input: { path: "a" } };
    const beside = { blocks: [text("# A"), call], stop: "max_tokens" };
    expect(await play(spec, [beside])).toMatchObject({ state: "truncated", errorClass: "OUTPUT_TRUNCATED" });
  });
});

describe("a stream that is open", () => {
  const hangs = [{ blocks: [], stop: HANGS }];

  /** Resolves with the moment at which the API loses the connection of a stream that has begun. */
  function socketLost(begun: () => void): Promise<number> {
    return new Promise((resolve) => {
      onHang = (response) => {
        response.on("close", () => resolve(performance.now()));
        response.write(": begun\n\n", begun);
      };
    });
  }

  function endsWith(ends: string[]): (end: ResponseBody) => ResponseBody {
    return (end) => {
      ends.push(end.transport.end, end.errorClass ?? "");
      return end;
    };
  }

  test("when its run's deadline falls says so in its record, and the run ends", async () => {
    const lost = socketLost(() => undefined);
    const ends: string[] = [];
    const run = await play({ limits: { deadlineMs: 300 } }, hangs, endsWith(ends));
    await lost;
    expect(ends).toEqual(["run_timeout", "DEADLINE_EXCEEDED"]);
    expect(run).toMatchObject({ state: "escalated", errorClass: "DEADLINE_EXCEEDED" });
  });

  // a busy machine may hold back any process for longer: one of the tries has to keep to it
  test(
    "when its run is cancelled loses its connection within 100 ms, and says so in its record",
    { retry: 3 },
    async () => {
      const stop = new AbortController();
      const { redis } = server;
      const watching = watchCancels({ redis, signal: stop.signal }, (run) => streamer.cancels.cancel(run));
      let sent = 0;
      const lost = socketLost(() => {
        sent = performance.now();
        void redis
          .zrangebyscore(globalKeys.open, 0, "+inf")
          .then(([turn = ""]) => sendCancel(redis, turn.split(".")[0] ?? ""));
      });
      const ends: string[] = [];
      await play({ limits: { attempts: 1 } }, hangs, endsWith(ends));
      expect((await lost) - sent).toBeLessThan(100);
      expect(ends).toEqual(["cancelled", "CANCELLED"]);
      stop.abort();
      await watching;
    },
  );
});

test("an output that another version of the adapter read leaves nothing in the conversation of the fresh attempt", async () => {
  const run = await play(
    {},
    [
      { blocks: [text("once")], stop: "end_turn" },
      { blocks: [text("twice")], stop: "end_turn" },
    ],
    (end) => (end.attempt === 1 ? { ...end, adapter: "anthropic@0" } : end),
  );
  expect(run).toMatchObject({ state: "completed", artifact: "twice" });
  expect(requests.map(({ messages }) => messages)).toEqual([[GO], [GO]]);
});

describe("a stop sequence", () => {
  const stopSequences = [
    { sequence: "END", meaning: "complete" },
    { sequence: "CUT", meaning: "truncated" },
  ];

  test.each([
    ["completes the run where that is its meaning", "END", { state: "completed", artifact: "so far" }],
    [
      "cuts the output where that is its meaning",
      "CUT",
      { state: "truncated", errorClass: "OUTPUT_TRUNCATED" },
    ],
    [
      "leads to a fresh attempt where the run has no such sequence",
      "OTHER",
      { state: "escalated", errorClass: "ATTEMPTS_EXHAUSTED" },
    ],
  ])("%s", async (_, sequence, expected) => {
    const stopped = { blocks: [text("so far")], stop: "stop_sequence", sequence };
    const limits = { attempts: 1 };
    const run = await play({ stopSequences, limits }, [stopped]);
    expect(run).toMatchObject(expected);
    expect(requests).toMatchObject([{ stop_sequences: ["END", "CUT"] }]);
  });

  test("that cuts gives no attempt with a larger budget, which it would cut as well", async () => {
    const run = await play({ stopSequences }, [
      { blocks: [text("so far")], stop: "stop_sequence", sequence: "CUT" },
    ]);
    expect(run).toMatchObject({ state: "truncated", errorClass: "OUTPUT_TRUNCATED" });
    expect(requests).toHaveLength(1);
  });
});

test("a turn that is delivered again publishes what was committed, also where the conversation can't be read", async () => {
  answers = [{ blocks: [text("Done.")], stop: "end_turn" }];
  const run = await validator.submit({});
  const [job] = await validator.turns.getJobs(["waiting", "delayed", "prioritized"]);
  const record = signedRecordSchema.parse((job?.data as { readonly record: unknown } | undefined)?.record);
  const message = messageOf(record);
  if (message.purpose !== "turn") throw new Error("not a turn");
  const delivery = { body: message.body, record, signal: never };
  await onTurn(streamer, delivery);
  await server.redis.rpush(runKeys(run).conversation, "2.in what nobody sealed");
  expect(await onTurn(streamer, delivery)).toEqual({ kind: "done" });
  expect(requests).toHaveLength(1);
});
