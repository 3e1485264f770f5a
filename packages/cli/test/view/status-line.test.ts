import { expect, test } from "vitest";
import { countsText, createLiveLine, partsText } from "../../src/view/index.ts";
import { paper } from "./screen.ts";

test("the status of the parts says what each waits for", () => {
  const text = partsText(paper(), [
    { name: "redis", process: "restarting", readiness: { status: "silent" } },
    { name: "streamer", process: "running", readiness: { status: "ready" } },
    { name: "validator", process: "running", readiness: { status: "waiting", reasons: ["redis"] } },
    { name: "executor", process: "running", readiness: { status: "silent" } },
  ]);
  expect(text).toBe("redis restarting · streamer up · validator waits for redis · executor starting");
});

test("only queues with jobs are counted out", () => {
  const idle = { queue: "turns", waiting: 0, active: 0 };
  expect(countsText({ queues: [idle], openTurns: 0 })).toBe("0 runs open · queues empty");
  const busy = { queue: "items", waiting: 1, active: 2 };
  expect(countsText({ queues: [idle, busy], openTurns: 1 })).toBe("1 runs open · items 1 waiting 2 active");
});

test("the live line is redrawn below news on a terminal, and left out elsewhere", () => {
  const [terminal, pipe] = [paper(true), paper(false)];
  for (const screen of [terminal, pipe]) {
    const line = createLiveLine(screen);
    line.status("all up");
    line.news("one died");
    line.news(null);
  }
  expect(terminal.text()).toBe("\r\u001b[2Kall up\r\u001b[2Kone died\nall up");
  expect(pipe.text()).toBe("one died\n");
});
