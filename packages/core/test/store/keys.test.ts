import { expect, test } from "vitest";
import { eventText, fieldsOf, globalKeys, readEvent, runKeys } from "@airlock/core/store";
import { z } from "zod";

const RUN = "r0123456789abcdefghjk";

test("all keys of a run lie under its one hash tag, and are named as the design has them", () => {
  const keys = runKeys(RUN);
  const item = `${RUN}.1.2.0`;
  const all = {
    spec: keys.spec,
    run: keys.run,
    turn: keys.turn(1),
    attempt: keys.attempt({ turn: 1, attempt: 2 }),
    raw: keys.raw({ turn: 1, attempt: 2 }),
    item: keys.item(item),
    content: keys.content(item),
    call: keys.call(item),
    arguments: keys.arguments(item),
    partial: keys.partial,
    approval: keys.approval(item),
    ledger: keys.ledger(item),
    result: keys.result(item),
    preview: keys.preview(item),
    actions: keys.actions,
    workspace: keys.workspace,
    diff: keys.diff,
    unknown: keys.unknown,
    frozen: keys.frozen,
    conversation: keys.conversation,
    events: keys.events,
  };
  expect(Object.keys(keys).toSorted()).toEqual(Object.keys(all).toSorted());
  expect(
    Object.fromEntries(Object.entries(all).map(([name, key]) => [name, key.replace(RUN, "run")])),
  ).toEqual({
    spec: "airlock:{run}:spec",
    run: "airlock:{run}:run",
    turn: "airlock:{run}:turn:1",
    attempt: "airlock:{run}:attempt:1.2",
    raw: "airlock:{run}:raw:1.2",
    item: `airlock:{run}:item:${item}`,
    content: `airlock:{run}:content:${item}`,
    call: `airlock:{run}:call:${item}`,
    arguments: `airlock:{run}:arguments:${item}`,
    partial: "airlock:{run}:partial",
    approval: `airlock:{run}:approval:${item}`,
    ledger: `airlock:{run}:ledger:${item}`,
    result: `airlock:{run}:result:${item}`,
    preview: `airlock:{run}:preview:${item}`,
    actions: "airlock:{run}:actions",
    workspace: "airlock:{run}:workspace",
    diff: "airlock:{run}:diff",
    unknown: "airlock:{run}:unknown",
    frozen: "airlock:{run}:frozen",
    conversation: "airlock:{run}:conversation",
    events: "airlock:{run}:events",
  });
});

test("keys outside of runs have no hash tag", () => {
  const { open, control, runs, quarantine, audit } = globalKeys;
  const pools = [globalKeys.pools, globalKeys.pool("a"), globalKeys.poolRuns("a")];
  for (const key of [open, control, runs, quarantine, audit, globalKeys.report("a"), ...pools]) {
    expect(key).toMatch(/^airlock:[^{}]+$/);
  }
});

test("an event that does not fit its schema is never written, and an unknown one is skipped by readers", () => {
  const event = { type: "turn_closed", turn: 1 } as const;
  expect(eventText([event])).toBe(JSON.stringify([JSON.stringify(event)]));
  expect(() => eventText([{ ...event, content: "x" } as typeof event])).toThrow(/content/);
  expect(readEvent(["e", JSON.stringify(event)])).toEqual(event);
  expect(readEvent(["e", '{"type":"later"}'])).toBeNull();
  expect(readEvent([])).toBeNull();
});

test("a hash is read by its schema, is null where it doesn't exist, and names what doesn't fit", () => {
  const schema = z.object({ state: z.enum(["a", "b"]), count: z.coerce.number() });
  expect(fieldsOf(schema, "key", {})).toBeNull();
  expect(fieldsOf(schema, "key", { state: "a", count: "2" })).toEqual({ state: "a", count: 2 });
  expect(() => fieldsOf(schema, "key", { state: "c", count: "x" })).toThrow(
    expect.objectContaining({
      code: "SCHEMA_VERSION",
      message: expect.stringMatching(/key .*: state, count$/),
    }),
  );
});
