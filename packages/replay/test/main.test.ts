import { spawn, type ChildProcessByStdio } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { gatewayOn, HEADERS } from "./client.ts";

const MAIN = fileURLToPath(import.meta.resolve("@airlock/replay/main"));
const ROOT = fileURLToPath(new URL("../../../", import.meta.url));

function run(variables: Readonly<Record<string, string>>): ChildProcessByStdio<null, Readable, Readable> {
  const child = spawn(process.execPath, ["--conditions=source", "--import", "tsx", MAIN], {
    cwd: ROOT,
    env: { PATH: process.env["PATH"], ...variables },
    stdio: ["ignore", "pipe", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

async function textOf(stream: Readable): Promise<string> {
  let text = "";
  stream.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk;
  });
  await once(stream, "end");
  return text;
}

describe("the process", () => {
  test.each(["SIGTERM", "SIGINT"] as const)(
    "prints its address, serves, and ends well on %s",
    async (signal) => {
      const child = run({ AIRLOCK_GATEWAY_DIRECTORY: "fixtures" });
      const exit = once(child, "exit");
      const lines: unknown[] = await once(createInterface(child.stdout), "line");
      const { url, port } = z
        .object({ url: z.string(), port: z.number() })
        .parse(JSON.parse(String(lines[0])));
      expect(url).toBe(`http://127.0.0.1:${port}`);
      expect((await fetch(`${url}/v1/models`, { headers: HEADERS })).status).toBe(200);
      child.kill(signal);
      expect(await exit).toEqual([0, null]);
    },
  );

  test("says which port is taken", async () => {
    const { port } = await gatewayOn({ directory: "." });
    const child = run({ AIRLOCK_GATEWAY_DIRECTORY: "fixtures", AIRLOCK_GATEWAY_PORT: String(port) });
    const [errors, exit] = await Promise.all([textOf(child.stderr), once(child, "exit")]);
    expect([exit, errors]).toEqual([[1, null], `PORT_IN_USE: a port is taken: 127.0.0.1:${port}\n`]);
  });
});
