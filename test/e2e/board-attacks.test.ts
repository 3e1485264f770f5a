import { cp, mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { createBullBoard } from "@bull-board/api";
import { BullMQAdapter } from "@bull-board/api/bullMQAdapter";
import { FastifyAdapter } from "@bull-board/fastify";
import { Queue } from "bullmq";
import fastify, { type FastifyInstance } from "fastify";
import { approvalBodySchema, askBodySchema, type AskBody } from "@airlock/core/contract";
import { queuePrefix } from "@airlock/core/queue";
import { signRecord, type SignedRecord } from "@airlock/core/record";
import { readCall } from "@airlock/core/run";
import { runKeys } from "@airlock/core/store";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ROOT, startCell, type Cell } from "../support/cell.ts";
import { startTestConsole, type TestConsole } from "../support/console.ts";
import { makeRepository } from "../support/repository.ts";
import { call, REPORT, specOf, writeFixtures } from "../support/story.ts";

const asking = (options: string): string => `apiVersion: airlock.policy/v1
mode: enforce
defaults: { noMatch: forbid }
paths: { read: { allow: ["**"] }, write: { allow: ["**"] } }
rules:
  - { id: read, decision: allow, tool: read_file }
  - { id: ask-first, decision: approve, tool: write_file, approve: ${options} }
`;
const PROFILES = {
  asking: "{ risk: high, ttl: 10m }",
  brief: "{ risk: high, ttl: 2s }",
  two: "{ risk: high, ttl: 10m, quorum: 2 }",
} as const;

let cell: Cell;
let console: TestConsole;
let policies: string;
let repository: Awaited<ReturnType<typeof makeRepository>>;
let fixtures: Awaited<ReturnType<typeof writeFixtures>>;
let queue: Queue;
/** Bull Board as anybody may mount it on the same Redis: no login, no hook, every button. */
let foreign: { readonly app: FastifyInstance; readonly url: string };

beforeAll(async () => {
  repository = await makeRepository();
  policies = await mkdtemp(path.join(tmpdir(), "airlock-policies-"));
  await cp(path.join(ROOT, "config/policies"), policies, { recursive: true });
  for (const [name, options] of Object.entries(PROFILES)) {
    await writeFile(path.join(policies, `${name}.yaml`), asking(options));
  }
  const write = call("write_file", { path: "src/new.js", content: "export {};\n" });
  fixtures = await writeFixtures({ asked: [[write], [REPORT]] });
  cell = await startCell({
    fixtures: fixtures.directory,
    sources: [repository.directory],
    env: { AIRLOCK_POLICIES: policies },
  });
  await cell.trustRoute();
  console = await startTestConsole({ redis: cell.redis, keyrings: cell.keyrings });
  queue = new Queue("approvals", { connection: cell.redis, prefix: queuePrefix("approvals") });
  foreign = await mountForeign();
});

afterAll(async () => {
  await foreign.app.close();
  await queue.close();
  await console.close();
  await cell.close();
  await fixtures.remove();
  await repository.remove();
  await rm(policies, { recursive: true, force: true });
});

async function mountForeign(): Promise<typeof foreign> {
  const adapter = new FastifyAdapter().setBasePath("/ui");
  createBullBoard({ queues: [new BullMQAdapter(queue)], serverAdapter: adapter });
  const app = fastify();
  await app.register(adapter.registerPlugin(), { prefix: "/ui" });
  return { app, url: await app.listen({ host: "127.0.0.1", port: 0 }) };
}

interface Waiting {
  readonly run: string;
  readonly itemKey: string;
  readonly jobId: string;
  readonly record: SignedRecord;
  readonly ask: AskBody;
}

/** A run whose one call waits for people. */
async function waiting(policy: keyof typeof PROFILES = "asking"): Promise<Waiting> {
  const run = await cell.submit(specOf("asked", repository.directory, { policy }));
  const jobId = await expect
    .poll(async () => (await parkedJobs(run)).length, { timeout: 30_000 })
    .toBe(1)
    .then(async () => (await parkedJobs(run))[0] ?? "");
  const job = await queue.getJob(jobId);
  const record: SignedRecord = job?.data.record;
  const ask = askBodySchema.parse(JSON.parse(record.body));
  return { run, jobId, record, ask, itemKey: ask.itemKey };
}

async function parkedJobs(run: string): Promise<readonly string[]> {
  const jobs = await queue.getDelayed();
  return jobs.flatMap(({ id = "" }) => (id.startsWith(`${run}.`) ? [id] : []));
}

async function press(method: string, place: string, body?: unknown): Promise<number> {
  const answer = await fetch(`${foreign.url}/ui/api/queues/approvals/${place}`, {
    method,
    ...(body === undefined
      ? {}
      : { headers: { "content-type": "application/json" }, body: JSON.stringify(body) }),
  });
  return answer.status;
}

async function stateOf(waits: Waiting): Promise<string> {
  const found = await readCall(cell.redis, waits.itemKey);
  return `${found?.settled ?? "waits"} ${found?.errorClass ?? "-"}`;
}

async function settles(waits: Waiting): Promise<string> {
  await expect.poll(() => stateOf(waits), { timeout: 30_000 }).not.toBe("waits -");
  return stateOf(waits);
}

async function told(run: string, type: string): Promise<number> {
  const events = await cell.redis.xrange(runKeys(run).events, "-", "+");
  return events.filter(([, fields]) => fields.join(" ").includes(`"${type}"`)).length;
}

/** The validator looked, and parked it again: to be promoted is no approval. */
async function expectParkedAgain(waits: Waiting): Promise<void> {
  await expect.poll(() => told(waits.run, "approval_unsigned"), { timeout: 30_000 }).toBeGreaterThan(0);
  await expect.poll(() => parkedJobs(waits.run), { timeout: 30_000 }).toEqual([waits.jobId]);
  expect(await stateOf(waits)).toBe("waits -");
  expect(await wrote(waits)).toBe(false);
}

function wrote({ run }: Waiting): Promise<boolean> {
  return stat(path.join(cell.volume, run, "tree/src/new.js")).then(
    () => true,
    () => false,
  );
}

const ours = (waits: Waiting, button: "promote" | "clean"): string =>
  `/board/api/queues/approvals/${waits.jobId}/${button}`;

describe("through our mount", () => {
  test("promote by an approver approves, in their name", async () => {
    const waits = await waiting();
    const approver = await console.login("approver");
    expect((await approver.send("PUT", ours(waits, "promote"))).status).toBe(204);
    expect(await settles(waits)).toBe("EXECUTED -");
    expect(await wrote(waits)).toBe(true);
  });

  test("remove by an approver denies, and nothing changes it any more", async () => {
    const waits = await waiting();
    const approver = await console.login("approver");
    expect((await approver.send("PUT", ours(waits, "clean"))).status).toBe(204);
    expect(await settles(waits)).toBe("DENIED APPROVAL_DENIED");
    expect([404, 409]).toContain((await approver.send("PUT", ours(waits, "promote"))).status);
    expect(await wrote(waits)).toBe(false);
  });

  test("promote of two needs both: the first is told how many are missing, and counts once", async () => {
    const waits = await waiting("two");
    const [first, second] = [await console.login("approver"), await console.login("approver-2")];
    const answer = await first.send("PUT", ours(waits, "promote"));
    expect(answer.status).toBe(409);
    expect(await answer.json()).toMatchObject({ message: expect.stringContaining("1 more") });
    expect((await first.send("PUT", ours(waits, "promote"))).status).toBe(409);
    expect(await stateOf(waits)).toBe("waits -");
    expect((await second.send("PUT", ours(waits, "promote"))).status).toBe(204);
    expect(await settles(waits)).toBe("EXECUTED -");
  });

  test("promote comes too late once the time is over", async () => {
    const waits = await waiting("brief");
    expect(await settles(waits)).toBe("EXPIRED APPROVAL_EXPIRED");
    const approver = await console.login("approver");
    expect([404, 409]).toContain((await approver.send("PUT", ours(waits, "promote"))).status);
    expect(await wrote(waits)).toBe(false);
  });
});

describe("through somebody else's board", () => {
  test("promote without a signature parks the call again", async () => {
    const waits = await waiting();
    expect(await press("PUT", `${waits.jobId}/promote`)).toBe(204);
    await expectParkedAgain(waits);
  });

  test("promote-all approves nothing", async () => {
    const both = [await waiting(), await waiting()];
    expect(await press("PUT", "promote")).toBe(200);
    for (const waits of both) await expectParkedAgain(waits);
  });

  test("an edited delay brings the call no further than a promote", async () => {
    const waits = await waiting();
    expect(await press("PATCH", `${waits.jobId}/delay`, { runAt: Date.now() + 50 })).toBeLessThan(300);
    await expectParkedAgain(waits);
  });

  test("a removed job denies its call", async () => {
    const waits = await waiting();
    expect(await press("PUT", `${waits.jobId}/clean`)).toBe(204);
    expect(await settles(waits)).toBe("DENIED APPROVAL_REMOVED");
    expect(await wrote(waits)).toBe(false);
  });

  test("edited data are refused, and the call is denied rather than run", async () => {
    const waits = await waiting();
    const body = JSON.stringify({
      ...waits.ask,
      quorum: 1,
      requestedBy: "somebody",
      argumentsDigest: waits.ask.policyDigest,
    });
    const edited = { jobData: { record: { ...waits.record, body } } };
    expect(await press("PATCH", `${waits.jobId}/update-data`, edited)).toBeLessThan(300);
    const approver = await console.login("approver");
    expect((await approver.send("PUT", ours(waits, "promote"))).status).toBe(409);
    await press("PUT", `${waits.jobId}/promote`);
    expect(await settles(waits)).toBe("DENIED APPROVAL_REMOVED");
    expect(await wrote(waits)).toBe(false);
  });

  test("a job that is added by hand, or under another id, is refused and changes nothing", async () => {
    const waits = await waiting();
    const other = `${waits.itemKey}.7`;
    await press("POST", "add", { name: "ask", data: { record: waits.record }, options: { jobId: other } });
    await press("POST", "add", { name: "ask", data: { approve: true }, options: { jobId: "by-hand" } });
    for (const id of [other, "by-hand"]) {
      await expect
        .poll(async () => (await cell.logOf("validator")).includes(`"jobId":"${id}"`), { timeout: 30_000 })
        .toBe(true);
    }
    expect(await stateOf(waits)).toBe("waits -");
    expect(await parkedJobs(waits.run)).toEqual([waits.jobId]);
    expect(await wrote(waits)).toBe(false);
  });

  test("an approval of another call, laid beside this one, counts for nothing", async () => {
    const [known, waits] = [await waiting(), await waiting()];
    await (await console.login("approver")).send("PUT", ours(known, "promote"));
    expect(await settles(known)).toBe("EXECUTED -");
    const answers = await cell.redis.hgetall(runKeys(known.run).approval(known.itemKey));
    await cell.redis.hset(runKeys(waits.run).approval(waits.itemKey), answers);
    await press("PUT", `${waits.jobId}/promote`);
    await expectParkedAgain(waits);
  });

  test.each([
    ["other arguments", { argumentsDigest: "b".repeat(64) }],
    ["another policy", { policyDigest: "b".repeat(64) }],
    ["another question", { nonce: "0".repeat(20) }],
    ["a later end", { expiresAt: 9_999_999_999_999 }],
  ])("an approval that an approver signed for %s counts for nothing", async (_, change) => {
    const waits = await waiting();
    const { run, itemKey, argumentsDigest, policyDigest, nonce, expiresAt } = waits.ask;
    const body = approvalBodySchema.parse({
      version: 1,
      run,
      itemKey,
      argumentsDigest,
      policyDigest,
      nonce,
      expiresAt,
      answer: "approve",
      approver: "approver",
      reason: "",
      answeredAt: waits.ask.askedAt,
      ...change,
    });
    const record = signRecord(cell.keyrings.approver, "approval", JSON.stringify(body));
    await cell.redis.hset(runKeys(run).approval(itemKey), "approver", JSON.stringify(record));
    await press("PUT", `${waits.jobId}/promote`);
    await expectParkedAgain(waits);
  });

  test("an approval that anybody but an approver's key signed counts for nothing", async () => {
    const waits = await waiting();
    const { run, itemKey, argumentsDigest, policyDigest, nonce, expiresAt } = waits.ask;
    const body = { version: 1, run, itemKey, argumentsDigest, policyDigest, nonce, expiresAt };
    const said = {
      ...body,
      answer: "approve",
      approver: "approver",
      reason: "",
      answeredAt: waits.ask.askedAt,
    };
    const forger = { ...cell.keyrings.console, role: "approver" } as const;
    const record = signRecord(forger, "approval", JSON.stringify(said));
    await cell.redis.hset(runKeys(run).approval(itemKey), "approver", JSON.stringify(record));
    await press("PUT", `${waits.jobId}/promote`);
    await expectParkedAgain(waits);
  });
});
