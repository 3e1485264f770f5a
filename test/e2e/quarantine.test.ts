import { randomUUID } from "node:crypto";
import { copyFile, mkdir, readFile } from "node:fs/promises";
import path from "node:path";
import { AirlockError } from "@airlock/core/fault";
import { createLedger } from "@airlock/core/ledger";
import { itemKey } from "@airlock/core/record";
import { globalKeys, runKeys } from "@airlock/core/store";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parse } from "yaml";
import { COMMANDS, runCommandLine } from "../../packages/cli/src/command/index.ts";
import type { Screen } from "../../packages/cli/src/view/index.ts";
import { ROOT, startCell, type Cell } from "../support/cell.ts";
import { watchExpiry, type ExpiryWatch } from "../support/expiry.ts";
import { until } from "../support/forge.ts";
import { makeRepository } from "../support/repository.ts";
import { eventWhere } from "../support/watch.ts";

interface Finished {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

const env: Record<string, string> = {};
let cell: Cell;
let expiry: ExpiryWatch;
let repository: Awaited<ReturnType<typeof makeRepository>>;

beforeAll(async () => {
  repository = await makeRepository();
  cell = await startCell({ sources: [repository.directory], env });
  expiry = await watchExpiry(cell.redis);
  await mkdir(path.join(cell.directory, "data/keys"), { recursive: true });
  await copyFile(
    path.join(cell.directory, "client.json"),
    path.join(cell.directory, "data/keys/client.json"),
  );
  await cell.trustRoute();
});

afterAll(async () => {
  expiry.close();
  await cell.close();
  await repository.remove();
});

/** The command line in this process; the services are processes of their own. */
async function airlock(...args: readonly string[]): Promise<Finished> {
  const [out, errors] = [capture(), capture()];
  const environment = { REDIS_URL: cell.server.url, AIRLOCK_DATA: path.join(cell.directory, "data") };
  const context = { environment, folder: ROOT, out: out.screen, errors: errors.screen };
  const finished = (code: number, stderr: string): Finished => ({ code, stdout: out.text(), stderr });
  try {
    return finished(await runCommandLine(COMMANDS, args, context), errors.text());
  } catch (error) {
    if (error instanceof AirlockError) return finished(2, error.message);
    throw error;
  }
}

function capture(): { readonly screen: Screen; text(): string } {
  let written = "";
  return {
    screen: {
      terminal: false,
      columns: () => 100,
      print: (line) => void (written += `${line}\n`),
      write: (text) => void (written += text),
      style: (_, text) => text,
    },
    text: () => written,
  };
}

/** The demo's run whose first response is cut in the middle of a write. */
async function cutWrite(change: { readonly attempts: number; readonly rawMs: number }): Promise<string> {
  const text = await readFile(path.join(ROOT, "fixtures/demo/specs/cut-write.yaml"), "utf8");
  const spec: Record<string, unknown> = parse(text);
  return cell.submit({
    ...spec,
    // the gateway takes a request that it has seen for a further attempt
    input: `Fix src/price.js. ${randomUUID()}`,
    workspace: { source: repository.directory, ref: "main" },
    limits: { turns: 4, calls: 4, attempts: change.attempts },
    retention: { rawMs: change.rawMs },
  });
}

test("a cut write whose attempts are used up is requeued by one of two people, and its effect happens once", async () => {
  const run = await cutWrite({ attempts: 1, rawMs: 600_000 });
  expect(await cell.ended(run)).toMatchObject({ state: "escalated", errorClass: "ATTEMPTS_EXHAUSTED" });

  const listed = await airlock("quarantine", "list", "--json");
  const entries: readonly Record<string, unknown>[] = JSON.parse(listed.stdout);
  const cut = { run, state: "open", turn: 1 };
  expect(entries.filter((entry) => entry["run"] === run)).toMatchObject([
    { ...cut, id: run, kind: "run", ended: "escalated", errorClass: "ATTEMPTS_EXHAUSTED" },
    {
      ...cut,
      id: `${run}.1.1`,
      kind: "response",
      attempt: 1,
      ended: "indeterminate",
      errorClass: "STREAM_TRUNCATED",
      bytes: expect.any(Number),
      lastEvent: "argument_delta",
      transportEnd: expect.stringMatching(/^(clean|mid_event|mid_line|reset)$/),
      rawUntil: expect.any(String),
    },
    {
      ...cut,
      id: expect.stringMatching(/\.1\.1\.[01]$/),
      kind: "call",
      ended: "QUARANTINED",
      errorClass: "ITEM_INCOMPLETE",
      tool: "write_file",
      callId: expect.any(String),
      bytes: expect.any(Number),
      lastEvent: "argument_delta",
      keepUntil: expect.any(String),
    },
  ]);
  expect(listed.stdout).not.toContain("price");

  const shown = await airlock("quarantine", "show", run, "--raw", "--json");
  const { raw }: { readonly raw: readonly { readonly content: string }[] } = JSON.parse(shown.stdout);
  const begins = expect.stringMatching(/^\{"path":\s*"src\/price\.js"/);
  const bytes = expect.stringContaining("event: response.function_call_arguments.delta");
  expect(raw.map(({ content }) => content)).toEqual([bytes, begins]);

  const requeue = ["quarantine", "requeue", run, "--reason", "the stream was cut", "--json"];
  const both = await Promise.all([airlock(...requeue, "--as", "ana"), airlock(...requeue, "--as", "ben")]);
  const answers = both.map(({ stdout }) => JSON.parse(stdout) as Record<string, unknown>);
  expect(new Set(both.map(({ code }) => code))).toEqual(new Set([0, 1]));
  expect(answers.find(({ done }) => done === true)).toMatchObject({ answer: "requeued_attempt" });
  expect(answers.find(({ done }) => done === false)).toMatchObject({
    answer: expect.stringMatching(/^(lost|not_ended)$/),
    meaning: expect.stringMatching(/(ana|ben) asked to requeue it at .* \(the stream was cut\)/),
  });

  await eventWhere(cell.redis, run, (event) => event.type === "run_requeued");
  expect(await cell.ended(run)).toMatchObject({ state: "completed", requeues: 1 });
  const ran = await cell.redis.keys(runKeys(run).ledger("*"));
  expect(ran).toEqual([runKeys(run).ledger(itemKey({ run, turn: 1, attempt: 2, ordinal: 1 }))]);
  expect(await createLedger(cell.redis).read(`${run}.1.2.1`)).toMatchObject({ state: "EXECUTED", fence: 1 });
  const audit = await cell.redis.xrange(globalKeys.audit, "-", "+");
  expect(audit.map(([, [, text = ""]]) => JSON.parse(text) as unknown)).toMatchObject(
    ["requeued_attempt", expect.stringMatching(/lost|not_ended/)].map((answer: unknown) => ({
      run,
      kind: "requeue",
      reason: "the stream was cut",
      answer,
    })),
  );
  const followed = await airlock("events", run, "--follow");
  expect(followed.stdout).toMatch(/requeued by (ana|ben): turn 1 goes on[^]*completed/);
});

test("what was set aside is gone on time, which show says, and the run can be given up", async () => {
  const run = await cutWrite({ attempts: 1, rawMs: 200 });
  await cell.ended(run);
  await expiry.gone(runKeys(run).raw({ turn: 1, attempt: 1 }));
  const { stdout } = await airlock("quarantine", "show", `${run}.1.1`, "--raw");
  expect(stdout).toMatch(/it was kept until \S+ and is gone/);
  expect(stdout).not.toContain("price.js");
  expect((await airlock("show", run)).stdout).toContain(`airlock quarantine show ${run}`);

  const abandon = ["quarantine", "abandon", run, "--reason", "not worth it"];
  expect(await airlock(...abandon)).toMatchObject({ code: 0, stdout: expect.stringContaining("given up") });
  expect(await airlock(...abandon)).toMatchObject({ code: 1, stdout: expect.stringContaining("acted on") });
  expect(await cell.ended(run)).toMatchObject({ state: "abandoned" });
});

test("a command that can't be meant is refused before it is sent", async () => {
  const unknown = "r00000000000000000000";
  const reason = ["--reason", "why"];
  const refused = await Promise.all([
    airlock("quarantine", "requeue", unknown, ...reason),
    airlock("quarantine", "requeue", unknown),
    airlock("quarantine", "requeue", unknown, "--reason", "x".repeat(100_000)),
    airlock("quarantine", "requeue", unknown, ...reason, "--raise", "turns=many"),
    airlock("quarantine", "list", "--class", "NO_SUCH"),
    airlock("quarantine"),
  ]);
  const words = ["no such run", "--reason", "--reason", "--raise", "--class", "quarantine requeue"];
  for (const [at, { code, stderr }] of refused.entries()) {
    expect(code).toBe(2);
    expect(stderr).toContain(words[at]);
    expect(stderr.length).toBeLessThan(2_000);
  }
});

test("no key of a run outlives its retention but the ledger's, with a real cell", async () => {
  env["AIRLOCK_RUN_MS"] = "1500";
  await cell.kill("validator");
  await cell.start("validator");
  const run = await cutWrite({ attempts: 3, rawMs: 300 });
  expect(await cell.ended(run)).toMatchObject({ state: "completed" });
  const keys = await cell.redis.keys(`*${run}*`);
  const left = keys.filter((key) => key.startsWith(runKeys(run).ledger("")));
  expect(left).toHaveLength(1);
  await Promise.all(keys.filter((key) => !left.includes(key)).map((key) => expiry.gone(key)));
  expect(await cell.redis.keys(`*${run}*`)).toEqual(left);
  expect(await cell.redis.hget(left[0] ?? "", "content")).toBeNull();
  expect(await cell.redis.pttl(left[0] ?? "")).toBeGreaterThan(86_400_000);
  await until("the list to forget it", async () => (await cell.redis.zscore(globalKeys.runs, run)) === null);
  const { code, stderr } = await airlock("quarantine", "show", run);
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining("no such run") });
});

test("an operator stops a tool and lets it go on, each with a reason that everybody can read", async () => {
  const why = ["--reason", "it writes where it should not", "--as", "ana"] as const;
  expect(await airlock("kill", "list")).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("nothing"),
  });
  expect(await airlock("kill", "set", "tool:write_file", ...why)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("stopped"),
  });
  const listed = await airlock("kill", "list", "--json");
  expect(JSON.parse(listed.stdout)).toEqual([
    expect.objectContaining({ target: "tool:write_file", by: "ana", reason: why[1] }),
  ]);
  expect((await airlock("kill", "list")).stdout).toContain("tool:write_file");
  expect(await airlock("kill", "set", "everything", ...why)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("repository:"),
  });
  expect(await airlock("kill", "clear", "tool:write_file")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("--reason"),
  });
  expect(await airlock("kill", "clear", "tool:write_file", ...why)).toMatchObject({ code: 0 });
  expect(await airlock("kill", "list")).toMatchObject({ stdout: expect.stringContaining("nothing") });
});
