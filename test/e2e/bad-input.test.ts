import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createKeyrings } from "@airlock/core/record";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ROOT, startCell } from "../support/cell.ts";
import { program } from "../support/programs.ts";

let directory: string;

const EXTENDING = `apiVersion: airlock.policy/v1
mode: enforce
extends: [{ path: base.yaml, sha256: "${"0".repeat(64)}" }]
`;

beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), "airlock-bad-input-"));
  const keyrings = createKeyrings();
  await writeFile(path.join(directory, "validator.json"), JSON.stringify(keyrings.validator), {
    mode: 0o600,
  });
  await writeFile(path.join(directory, "streamer.json"), JSON.stringify(keyrings.streamer), { mode: 0o600 });
  await writeFile(path.join(directory, "open.json"), JSON.stringify(keyrings.validator), { mode: 0o644 });
  await writeFile(path.join(directory, "broken.json"), "{");
  await writeFile(path.join(directory, "tool.yaml"), "apiVersion: airlock.tool/v1\nnmae: count\n");
  await mkdir(path.join(directory, "extending"));
  await writeFile(path.join(directory, "extending", "p.yaml"), EXTENDING);
  await writeFile(path.join(directory, "routes.yaml"), "routes:\n  r:\n    famly: responses\n");
});

afterAll(() => rm(directory, { recursive: true, force: true }));

/** Starts the validator with these variables on top of usable ones, and returns what a person would see. */
async function startValidator(
  env: Readonly<Record<string, string>>,
): Promise<{ readonly code: number; readonly stderr: string }> {
  const child = spawn(process.execPath, program("services/validator"), {
    cwd: ROOT,
    env: {
      PATH: process.env["PATH"] ?? "",
      REDIS_URL: "redis://127.0.0.1:1",
      AIRLOCK_KEYRING: path.join(directory, "validator.json"),
      ...env,
    },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let stderr = "";
  child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString("utf8")));
  const [code] = await once(child, "exit");
  return { code: Number(code), stderr };
}

test.each([
  [
    "an unknown variable",
    { AIRLOCK_SWEEPMS: "1" },
    "AIRLOCK_SWEEPMS is not a setting; did you mean AIRLOCK_SWEEP_MS?",
  ],
  ["a value that is no number", { AIRLOCK_GRANT_MS: "soon" }, "AIRLOCK_GRANT_MS"],
  ["a URL that is none", { REDIS_URL: "localhost" }, "REDIS_URL"],
  ["no keyring", { AIRLOCK_KEYRING: "/nowhere/keys.json" }, "/nowhere/keys.json can't be read (ENOENT)"],
  [
    "a keyring of another role",
    { AIRLOCK_KEYRING: "streamer.json" },
    "is the streamer's, not the validator's",
  ],
  ["a keyring that others may read", { AIRLOCK_KEYRING: "open.json" }, "run: chmod 600"],
  ["a routes file with a typing error", { AIRLOCK_ROUTES: "routes.yaml" }, "famly"],
  ["a tool with a typing error", { AIRLOCK_TOOLS: "tool.yaml" }, 'tool.yaml:2:1: unknown key "nmae"'],
  ["a folder of tools that is not there", { AIRLOCK_TOOLS: "/nowhere" }, "/nowhere can't be read (ENOENT)"],
  ["a folder without policies", { AIRLOCK_POLICIES: "/nowhere" }, "/nowhere can't be read (ENOENT)"],
  [
    "a policy that extends a missing one",
    { AIRLOCK_POLICIES: "extending" },
    "p.yaml:3:13: there is no file base.yaml",
  ],
])("%s ends the start with exit code 2 and a message that names it", async (_, env, message) => {
  const placed = Object.fromEntries(
    Object.entries(env).map(([name, value]) => [
      name,
      /^[a-z]+\.(json|yaml)$/.test(value) || value === "extending" ? path.join(directory, value) : value,
    ]),
  );
  const { code, stderr } = await startValidator(placed);
  expect(stderr).toContain(message);
  expect(stderr).not.toContain("    at ");
  expect(code).toBe(2);
});

test("a port that is taken ends the start with exit code 2 and the setting that moves it", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const { code, stderr } = await startValidator({ AIRLOCK_HEALTH_PORT: String(port) });
  server.close();
  expect(stderr).toContain(`127.0.0.1:${port} can't be opened; set AIRLOCK_HEALTH_PORT`);
  expect(code).toBe(2);
});

test("services that start without Redis wait, say so, are not ready, and work once it is there", async () => {
  const cell = await startCell({ sources: [], services: [] });
  try {
    await cell.server.kill();
    await Promise.all([cell.start("validator"), cell.start("streamer")]);
    const health = /"port":(\d+)/.exec(await cell.logOf("validator"))?.[1];
    expect((await fetch(`http://127.0.0.1:${health}/live`)).status).toBe(200);
    expect((await fetch(`http://127.0.0.1:${health}/ready`)).status).toBe(503);
    expect(await cell.logOf("validator")).toContain('"redis_down"');
    await cell.server.start();
    const run = await cell.submit({
      route: "gateway",
      model: "replay/demo/contract/responses/text",
      instructions: "",
      input: "x",
      policy: "read-only",
    });
    expect(await cell.ended(run)).toMatchObject({ state: "completed" });
    let status = 0;
    for (let tries = 0; tries < 50 && status !== 200; tries += 1) {
      status = (await fetch(`http://127.0.0.1:${health}/ready`)).status;
      await sleep(100);
    }
    expect(status).toBe(200);
  } finally {
    await cell.close();
  }
});
