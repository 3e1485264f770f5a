import { describe, expect, test } from "vitest";
import {
  addressOf,
  messageOf,
  producersOf,
  queueName,
  queuePrefix,
  QUEUES,
  type Message,
} from "@airlock/core/queue";
import { createKeyrings, PURPOSES, signRecord } from "@airlock/core/record";
import { bodies, COMMAND, ITEM, RUN } from "../contract/bodies.ts";

const regrant = {
  version: 1,
  run: RUN,
  itemKey: ITEM,
  grant: 2,
  fence: 5,
  kind: "regrant",
  errorClass: "GRANT_EXPIRED",
} as const;
const { pool: _, ...resolution } = bodies.resolution;
const resolved = { ...resolution, kind: "resolved", done: true } as const;
const cancel = { version: 1, run: RUN, requestedBy: "test", kind: "cancel", reason: "" } as const;

describe("a message's address follows from its body alone", () => {
  test.each<[Message, string, string]>([
    [{ purpose: "command", body: bodies.command }, "commands", `${RUN}.submit`],
    [{ purpose: "command", body: cancel }, "commands", `${RUN}.cancel`],
    [{ purpose: "turn", body: bodies.turn }, "turns", `${RUN}.2.3`],
    [{ purpose: "item", body: bodies.item }, "items", `${RUN}.2.1.0`],
    [{ purpose: "response", body: bodies.response }, "items", `${RUN}.2.1.end`],
    [{ purpose: "execution", body: bodies.execution }, "executions.default", `${ITEM}.1`],
    [
      { purpose: "execution", body: { ...bodies.execution, pool: "gpu", grant: 3 } },
      "executions.gpu",
      `${ITEM}.3`,
    ],
    [{ purpose: "result", body: bodies.result }, "results", `${ITEM}.1.4.settled`],
    [{ purpose: "result", body: regrant }, "results", `${ITEM}.2.5.regrant`],
    [{ purpose: "resolution", body: bodies.resolution }, "executions.default", `${ITEM}.${COMMAND}`],
    [{ purpose: "result", body: resolved }, "results", `${ITEM}.${COMMAND}.resolved`],
  ])("%j", (message, queue, jobId) => {
    expect(addressOf(message)).toEqual({ queue, jobId });
    // what the queue refuses as an id: a colon, or a plain number
    expect(jobId).not.toMatch(/:|^\d+$/);
  });

  test("is the same for no two of them", () => {
    const messages: readonly Message[] = [
      { purpose: "item", body: bodies.item },
      { purpose: "response", body: bodies.response },
      { purpose: "execution", body: bodies.execution },
      { purpose: "result", body: bodies.result },
      { purpose: "result", body: { ...regrant, grant: 1, fence: 4 } },
    ];
    const places = messages.map((message) => JSON.stringify(addressOf(message)));
    expect(new Set(places).size).toBe(messages.length);
  });
});

describe("a queue", () => {
  test.each([
    ["commands", "validator", ["client", "console"]],
    ["approvals", "validator", ["validator"]],
    ["turns", "streamer", ["validator"]],
    ["items", "validator", ["streamer"]],
    ["executions", "executor", ["validator"]],
    ["results", "validator", ["executor"]],
  ] as const)("%s is consumed by the %s and filled by %j", (family, consumer, producers) => {
    expect(QUEUES[family].consumer).toBe(consumer);
    expect(producersOf(family)).toEqual(producers);
  });

  test("of executions has a name and a hash tag for each pool", () => {
    expect(queueName("executions", "gpu")).toBe("executions.gpu");
    expect(queueName("turns", "gpu")).toBe("turns");
    expect(queuePrefix("executions.gpu")).toBe("{airlock:executions.gpu}");
  });
});

test("no report travels on a queue", () => {
  const keyring = createKeyrings()[PURPOSES.report[0]];
  expect(() => messageOf(signRecord(keyring, "report", "{}"))).toThrow("no queue takes a report");
});
