import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { watch } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { afterDeath, supervise, type ProcessEvent, type Program } from "../../src/local/supervise.ts";

describe("after a death", () => {
  const death = { ready: true, code: 1, livedMs: 1_000, lastBackoffMs: null };
  test.each([
    ["the first time, soon", {}, { kind: "restart", afterMs: 250 }],
    ["again, later", { lastBackoffMs: 250 }, { kind: "restart", afterMs: 500 }],
    ["at most so late", { lastBackoffMs: 8_000 }, { kind: "restart", afterMs: 8_000 }],
    [
      "after a long life, soon again",
      { lastBackoffMs: 8_000, livedMs: 30_000 },
      { kind: "restart", afterMs: 250 },
    ],
    ["by a signal, as any other", { code: null }, { kind: "restart", afterMs: 250 }],
    ["before it was up, never", { ready: false }, { kind: "give_up" }],
    ["for unusable configuration, never", { code: 2 }, { kind: "give_up" }],
  ])("a process starts again: %s", (_, change, expected) => {
    expect(afterDeath({ ...death, ...change })).toEqual(expected);
  });
});

describe("a supervised process", () => {
  let folder = "";
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), "airlock-supervise-"));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  function program(script: string): Program {
    const log = path.join(folder, "p.log");
    return { name: "p", file: process.execPath, args: ["-e", script], environment: {}, log };
  }
  const STAYS = "setInterval(() => {}, 1000)";

  /** Collects events, and resolves when the wanted one comes. */
  function listen() {
    const events: ProcessEvent[] = [];
    const waiting: { readonly wanted: (event: ProcessEvent) => boolean; readonly resolve: () => void }[] = [];
    return {
      events,
      onEvent: (event: ProcessEvent): void => {
        events.push(event);
        for (const one of waiting) if (one.wanted(event)) one.resolve();
      },
      until: (wanted: (event: ProcessEvent) => boolean): Promise<void> =>
        new Promise((resolve) => {
          if (events.some(wanted)) resolve();
          else waiting.push({ wanted, resolve });
        }),
    };
  }

  test("that dies at its start is given up, with what it said outside its log lines", async () => {
    const heard = listen();
    const script = `console.log('{"event":"x"}'); console.error("airlock p: no keys"); process.exit(2)`;
    const part = supervise(program(script), heard.onEvent);
    await heard.until(({ type }) => type === "gave_up");
    expect(heard.events).toEqual([
      { type: "started", name: "p" },
      { type: "gave_up", name: "p", how: "exit code 2", detail: "airlock p: no keys" },
    ]);
    expect([part.state(), part.pid()]).toEqual(["failed", null]);
  });

  test("that isn't there at all is given up", async () => {
    const heard = listen();
    supervise({ ...program(""), file: path.join(folder, "nope") }, heard.onEvent);
    await heard.until(({ type }) => type === "gave_up");
    expect(heard.events.at(-1)).toMatchObject({ type: "gave_up", how: expect.stringContaining("ENOENT") });
  });

  test("that is killed later starts again under another pid, and ends when it is stopped", async () => {
    const heard = listen();
    const part = supervise(program(STAYS), heard.onEvent);
    part.markReady();
    const first = part.pid() ?? 0;
    process.kill(first, "SIGKILL");
    await heard.until(({ type }) => type === "died");
    await heard.until((event) => event.type === "started" && heard.events.indexOf(event) > 0);
    expect(heard.events.slice(0, 3)).toEqual([
      { type: "started", name: "p" },
      { type: "died", name: "p", how: "SIGKILL", restartMs: 250 },
      { type: "started", name: "p" },
    ]);
    const second = part.pid() ?? 0;
    expect(second).not.toBe(first);
    await part.stop(5_000);
    expect([part.state(), part.pid()]).toEqual(["stopped", null]);
    expect(() => process.kill(second, 0)).toThrow("ESRCH");
  });

  test("that doesn't listen is killed when the grace is over", async () => {
    const deaf = program(`process.on("SIGTERM", () => {}); console.log("deaf"); ${STAYS}`);
    const written = watch(folder);
    const part = supervise(deaf, () => undefined);
    for await (const _ of written) if (readFileSync(deaf.log, "utf8").includes("deaf")) break;
    const pid = part.pid() ?? 0;
    await part.stop(1);
    expect([part.state(), part.pid()]).toEqual(["stopped", null]);
    expect(() => process.kill(pid, 0)).toThrow("ESRCH");
  });
});
