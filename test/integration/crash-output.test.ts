import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { createKeyrings } from "@airlock/core/record";
import { coreDumpsForbidden } from "@airlock/core/runtime";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { readText, ROOT } from "../architecture/source-tree.ts";
import { startRedis, type RedisServer } from "../support/redis-server.ts";

const SECRET = "canary-crash-5d1f";

let server: RedisServer;
let folder: string;
let running: ChildProcess | undefined;

beforeAll(async () => {
  server = await startRedis();
  folder = await mkdtemp(path.join(tmpdir(), "airlock-crash-"));
  await writeFile(path.join(folder, "validator.json"), JSON.stringify(createKeyrings().validator), {
    mode: 0o600,
  });
});
afterEach(() => void running?.kill("SIGKILL"));
afterAll(async () => {
  await server.close();
  await rm(folder, { recursive: true });
});

function start(how: string, environment: Readonly<Record<string, string>> = {}) {
  const imports = ["--conditions=source", "--import", import.meta.resolve("tsx")];
  // without a limit, as a shell may have it
  const unlimited = ["-c", 'ulimit -c unlimited 2>/dev/null; exec "$0" "$@"', process.execPath];
  const child = spawn(
    "sh",
    [...unlimited, ...imports, path.join(ROOT, "test/support/crashing-service.ts"), how, SECRET],
    {
      cwd: folder,
      env: {
        PATH: process.env["PATH"] ?? "",
        REDIS_URL: server.url,
        AIRLOCK_KEYRING: path.join(folder, "validator.json"),
        COMETAPI_UNRELATED: SECRET,
        ...environment,
      },
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  running = child;
  const said = { text: "" };
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => (said.text += chunk.toString("utf8")));
  }
  return { child, said, closed: once(child, "close") };
}

const filesLeft = async (): Promise<readonly string[]> =>
  (await readdir(folder)).filter((name) => name !== "validator.json");

test.each([
  ["exception", '"event":"service_crashed","errorName":"RangeError","place":"at '],
  ["rejection", '"event":"service_crashed","errorName":"Error","place":"at '],
  ["cause", '"event":"service_crashed","errorName":"Error","place":"at '],
  ["start", "airlock validator: SyntaxError at "],
])("a service that fails by %s ends, says where, and nothing of what it held", async (how, line) => {
  const { said, closed } = start(how);
  const [code]: readonly unknown[] = await closed;
  expect(code).toBe(1);
  expect(said.text).toContain(line);
  expect(said.text).not.toContain(SECRET);
  expect(await filesLeft()).toEqual([]);
});

test("a running service has a core limit of 0, and opens no debugger and writes no snapshot when it is signalled", async () => {
  const { child, said, closed } = start("nothing");
  await expect.poll(() => said.text, { timeout: 60_000, interval: 50 }).toContain("service_started");
  const limits = await readFile(`/proc/${child.pid}/limits`, "utf8");
  expect([coreDumpsForbidden(limits), said.text.includes("core_dumps_possible")]).toEqual([true, false]);
  child.kill("SIGUSR1");
  child.kill("SIGUSR1");
  // it is still there, and takes the next signal after those
  child.kill("SIGTERM");
  const [code]: readonly unknown[] = await closed;
  expect(code).toBe(0);
  expect(said.text).toContain("service_stopped");
  expect(said.text).not.toMatch(/Debugger listening/i);
  expect(await filesLeft()).toEqual([]);
});

test.each([
  "--heapsnapshot-signal=SIGUSR2",
  "--heapsnapshot-near-heap-limit=1",
  "--report-uncaught-exception",
  "--report-on-signal",
  "--abort-on-uncaught-exception",
])("a service does not start with %s", async (option) => {
  const { said, closed } = start("nothing", { NODE_OPTIONS: option });
  const [code]: readonly unknown[] = await closed;
  expect([code, said.text]).toEqual([2, expect.stringContaining(option.split("=")[0] ?? "")]);
});

test("the limits of a process are read for what they are", () => {
  const line = (soft: string, hard: string): string =>
    `Max core file size        ${soft}    ${hard}    bytes`;
  expect(coreDumpsForbidden(line("0", "0"))).toBe(true);
  expect(coreDumpsForbidden(line("0", "unlimited"))).toBe(false);
  expect(coreDumpsForbidden(line("unlimited", "unlimited"))).toBe(false);
});

test("every container of docker-compose.yml has a core limit of 0", () => {
  const { services } = z
    .object({
      services: z.record(z.string(), z.object({ ulimits: z.object({ core: z.number() }).optional() })),
    })
    .parse(parse(readText("docker-compose.yml"), { merge: true }));
  const without = Object.entries(services).filter(([, { ulimits }]) => ulimits?.core !== 0);
  expect(Object.keys(services).length).toBeGreaterThan(5);
  expect(without.map(([name]) => name)).toEqual([]);
});
