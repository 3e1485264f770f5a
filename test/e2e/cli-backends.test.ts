// One suite of commands over both backends: Redis and keys on one side, a console's HTTP API and a token on the other.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { copyFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { AirlockError } from "@airlock/core/fault";
import { runKeys } from "@airlock/core/store";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parse, stringify } from "yaml";
import { COMMANDS, runCommandLine } from "../../packages/cli/src/command/index.ts";
import type { Screen } from "../../packages/cli/src/view/index.ts";
import { ROOT, startCell, type Cell } from "../support/cell.ts";
import { startTestConsole, type TestConsole } from "../support/console.ts";
import { until } from "../support/forge.ts";
import { makeRepository } from "../support/repository.ts";

interface Finished {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

const folder = mkdtempSync(path.join(tmpdir(), "airlock-backends-"));
const data = path.join(folder, "data");
/** Over HTTP a command has nothing but this. */
const empty = path.join(folder, "empty");
const approvers = path.join(folder, "approvers.yaml");
let cell: Cell;
let site: TestConsole;
let repository: Awaited<ReturnType<typeof makeRepository>>;

beforeAll(async () => {
  for (const place of [empty, path.join(data, "keys"), path.join(folder, "policies")])
    mkdirSync(place, { recursive: true });
  const made = await command({}, folder, ["approvals", "key", "dana", "--out", "dana.json"]);
  writeFileSync(approvers, made.stdout);
  for (const place of ["config/policies", "fixtures/demo/policies"]) {
    for (const name of readdirSync(path.join(ROOT, place))) {
      await copyFile(path.join(ROOT, place, name), path.join(folder, "policies", name));
    }
  }
  repository = await makeRepository();
  const env = { AIRLOCK_APPROVERS: approvers, AIRLOCK_POLICIES: path.join(folder, "policies") };
  cell = await startCell({ sources: [repository.directory], env });
  for (const role of ["client", "approver"]) {
    await copyFile(path.join(cell.directory, `${role}.json`), path.join(data, "keys", `${role}.json`));
  }
  await cell.trustRoute();
  const { trusted } = cell.keyrings.console;
  const dana: { readonly approvers: typeof trusted.approver } = parse(readFileSync(approvers, "utf8"));
  const knowing = {
    ...cell.keyrings.console,
    trusted: { ...trusted, approver: [...trusted.approver, ...dana.approvers] },
  };
  const routes = readFileSync(path.join(cell.directory, "routes.yaml"), "utf8");
  site = await startTestConsole({
    redis: cell.redis,
    keyrings: { ...cell.keyrings, console: knowing },
    routes,
  });
  writeFileSync(path.join(folder, "spec.yaml"), specText());
});

afterAll(async () => {
  await site.close();
  await cell.close();
  await repository.remove();
  rmSync(folder, { recursive: true, force: true });
});

function specText(): string {
  const spec: object = parse(readFileSync(path.join(ROOT, "fixtures/demo/specs/approval.yaml"), "utf8"));
  return stringify({ ...spec, workspace: { source: repository.directory, ref: "main" } });
}

const BACKENDS = {
  direct: (...args: string[]) =>
    command(
      {
        REDIS_URL: cell.server.url,
        AIRLOCK_DATA: data,
        AIRLOCK_ROUTES: path.join(cell.directory, "routes.yaml"),
        AIRLOCK_APPROVERS: approvers,
      },
      folder,
      args,
    ),
  http: (...args: string[]) => {
    const role = args[0] === "approvals" && args[1] !== "list" ? "approver" : "operator";
    return command({ AIRLOCK_URL: site.url, AIRLOCK_TOKEN: site.tokens[role] }, empty, args);
  },
} as const;
const NAMES = ["direct", "http"] as const;

async function command(
  environment: Readonly<Record<string, string>>,
  from: string,
  args: readonly string[],
): Promise<Finished> {
  const [out, errors] = [capture(), capture()];
  const context = { environment, folder: from, out: out.screen, errors: errors.screen };
  try {
    const code = await runCommandLine(COMMANDS, args, context);
    return { code, stdout: out.text(), stderr: errors.text() };
  } catch (error) {
    if (error instanceof AirlockError) return { code: 2, stdout: out.text(), stderr: error.message };
    throw error;
  }
}

function capture(): { readonly screen: Screen; text(): string } {
  let written = "";
  const write = (text: string): void => void (written += text);
  const screen = { terminal: false, columns: () => 100, print: (line: string) => write(`${line}\n`), write };
  return { screen: { ...screen, style: (_, text) => text }, text: () => written };
}

/** The same command over both, which has to say the same. */
async function both(...args: string[]): Promise<Finished> {
  const [direct, http] = await Promise.all([BACKENDS.direct(...args), BACKENDS.http(...args)]);
  expect(http).toEqual(direct);
  return direct;
}

async function submitted(name: (typeof NAMES)[number]): Promise<string> {
  const { stdout } = await BACKENDS[name]("run", "--spec", path.join(folder, "spec.yaml"));
  return stdout.trim();
}

async function parked(run: string): Promise<string> {
  const item = `${run}.1.1.1`;
  await until(
    "the call is parked",
    async () => (await cell.redis.hexists(runKeys(run).call(item), "parkedAt")) === 1,
  );
  return item;
}

test.each(NAMES)(
  "over %s, a wait that ends while a call waits for a person says so, with a code of its own",
  async (name) => {
    const spec = path.join(folder, "spec.yaml");
    const { code, stdout, stderr } = await BACKENDS[name](
      "run",
      "--spec",
      spec,
      "--wait",
      "--wait-timeout",
      "4",
      "--json",
    );
    const { id, state }: { readonly id: string; readonly state: string } = JSON.parse(stdout);
    expect({ code, state }).toEqual({ code: 10, state: "awaiting_approval" });
    expect(stderr).toContain(`apply_patch waits for a person: airlock approvals show ${id}.1.1.1`);
    await BACKENDS[name]("cancel", id);
    await cell.ended(id);
  },
);

test.each(NAMES)("over %s, a call is shown, approved once, and its run completes", async (name) => {
  const run = await submitted(name);
  const item = await parked(run);
  const shown = JSON.parse((await both("approvals", "show", item, "--json")).stdout);
  expect(shown).toMatchObject({ itemKey: item, tool: "apply_patch", evidence: { shown: { kind: "diff" } } });
  expect((await both("approvals", "list", "--json")).stdout).toContain(item);
  const wrong = ["approvals", "approve", item, "--reason", "r", "--nonce", "0".repeat(20)];
  expect(await BACKENDS[name](...wrong)).toMatchObject({
    code: 1,
    stdout: expect.stringContaining("look again"),
  });
  const asked = [
    "approvals",
    "approve",
    item,
    "--reason",
    "looks right",
    ...(name === "direct" ? ["--as", "erin"] : []),
  ];
  expect(await BACKENDS[name](...asked)).toEqual({
    code: 0,
    stdout: `approve of ${item} stored: the call is approved\n`,
    stderr: "",
  });
  expect(await cell.ended(run)).toMatchObject({ state: "completed" });
  expect((await both("approvals", "approve", item, "--reason", "again")).code).toBe(2);
});

test.each(NAMES)("over %s, somebody denies a call with a key of their own", async (name) => {
  const run = await submitted(name);
  const item = await parked(run);
  const key = path.join(folder, "dana.json");
  const { code, stdout } = await BACKENDS[name](
    "approvals",
    "sign",
    item,
    "--key",
    key,
    "--deny",
    "--reason",
    "no",
  );
  expect({ code, stdout }).toEqual({ code: 0, stdout: `deny of ${item} stored: the call is denied\n` });
  await cell.ended(run);
  expect((await both("events", run)).stdout).toMatch(/1\.1\.1.* denied by dana|1\.1\.1: denied by dana/);
});

test("of an ended run both say the same, as text, as JSON, and as every report", async () => {
  const run = await submitted("http");
  const item = await parked(run);
  await BACKENDS.http("approvals", "approve", item, "--reason", "yes");
  await cell.ended(run);
  await until("the diff is taken", async () => (await BACKENDS.direct("diff", run)).code === 0);
  const words = [
    ["show", run],
    ["events", run],
    ["runs"],
    ["diff", run],
    ["quarantine", "list", "--state", "all"],
    ["quarantine", "show", run],
    ["ledger", "list"],
    ["ledger", "show", item],
    ["routes"],
    ["pools"],
    ["tools"],
    ["kill", "list"],
    ["cancel", run],
  ];
  for (const line of words) {
    if (line[0] !== "pools") expect((await both(...line)).code).toBe(0); // a pool's members say when they were seen
    const [direct, http] = [await BACKENDS.direct(...line, "--json"), await BACKENDS.http(...line, "--json")];
    // the order of an object's keys says nothing
    const documents = [JSON.parse(direct.stdout), JSON.parse(http.stdout)];
    if (line[0] !== "pools") expect(documents[1]).toEqual(documents[0]);
  }
  for (const format of ["json", "junit", "markdown"]) {
    const { stdout } = await both("report", run, "--format", format);
    expect(stdout).toContain("APPROVAL_EXPIRED");
  }
  expect((await both("events", run, "--follow")).stdout).toContain("run ended: completed");
});

test("what is refused is refused alike", async () => {
  const nobody = "r00000000000000000000";
  for (const line of [
    ["show", nobody],
    ["events", nobody],
    ["events", nobody, "--follow"],
    ["cancel", nobody],
    ["diff", nobody],
    ["report", nobody],
    ["approvals", "show", `${nobody}.1.1.0`],
    ["quarantine", "show", nobody],
    ["quarantine", "requeue", nobody, "--reason", "r"],
    ["ledger", "show", `${nobody}.1.1.0`],
    ["ledger", "resolve", `${nobody}.1.1.0`, "--done", "--reason", "r"],
    ["kill", "set", "nonsense", "--reason", "r"],
  ]) {
    expect(await both(...line)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(line.at(0) === "kill" ? "nonsense" : nobody),
    });
  }
});

test.each(NAMES)("over %s, a completed run isn't requeued, and a switch is set and cleared", async (name) => {
  const run = await submitted(name);
  await BACKENDS[name]("cancel", run);
  await cell.ended(run);
  expect(await BACKENDS[name]("quarantine", "requeue", run, "--reason", "try")).toEqual({
    code: 1,
    stdout: `requeue of ${run} refused: a run that ended so can't be treated so: it is cancelled\n`,
    stderr: "",
  });
  expect(await BACKENDS[name]("kill", "set", `run:${run}`, "--reason", "r")).toMatchObject({ code: 0 });
  expect((await both("kill", "list")).stdout).toContain(run);
  expect(await BACKENDS[name]("kill", "clear", `run:${run}`, "--reason", "r")).toMatchObject({ code: 0 });
});

test("a command that needs the machine itself says so where AIRLOCK_URL is set", async () => {
  expect(await BACKENDS.http("contract", "--route", "cometapi", "--model", "m", "--live")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("AIRLOCK_URL unset"),
  });
  expect(await BACKENDS.http("cancel", "r1", "--reason", "x".repeat(300))).toMatchObject({ code: 2 });
});

test("over HTTP nobody acts in another's name", async () => {
  expect(await BACKENDS.http("kill", "set", "all", "--reason", "r", "--as", "root")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("--as can't stand beside AIRLOCK_URL"),
  });
});
