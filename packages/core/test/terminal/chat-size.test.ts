import { describe, expect, test } from "vitest";
import { DONE, call, calls, chunk, finish, readChat } from "./chat-streams.ts";
import { summary } from "./streams.ts";

// None of these is timed: work that grows with the square of the input would run for minutes.
const MANY = 100_000;
const RAISED = { maxItems: 4 };

describe("a large Chat response is read in one pass", () => {
  test("with very many pieces of one call", () => {
    const piece = calls(call({ index: 0 }, undefined, "x"));
    const stream = [
      calls(call({ index: 0, id: "a" }, "f", '{"x":"')),
      piece.repeat(MANY),
      calls(call({ index: 0 }, undefined, '"}')),
      finish("tool_calls"),
      DONE,
    ].join("");
    const reading = readChat(stream);
    expect([summary(reading), reading.items[0]?.bytes]).toEqual([
      ["action_required:tool", null, [null]],
      MANY + 8,
    ]);
  }, 60_000);

  test("with very many calls whose arguments are objects, over the limit of items", () => {
    const fragments = Array.from({ length: MANY }, (_, index) =>
      call({ index, id: `c${index}` }, "f", { x: index }),
    );
    const reading = readChat(calls(...fragments) + finish("tool_calls") + DONE, RAISED);
    expect([summary(reading).slice(0, 2), reading.items.length]).toEqual([
      ["indeterminate", "TOO_MANY_ITEMS"],
      RAISED.maxItems,
    ]);
  }, 60_000);

  test("with very many pieces of what the model thought", () => {
    const details = Array.from({ length: MANY / 100 }, () => ({ type: "reasoning.text", text: "x" }));
    const thought = chunk({ reasoning_content: "y", reasoning_details: details });
    const reading = readChat(thought.repeat(100) + chunk({ content: "done" }) + finish("stop") + DONE);
    const [message] = reading.outputItems;
    expect([summary(reading)[0], message?.["reasoning_content"]]).toEqual([
      "candidate_complete",
      "y".repeat(100),
    ]);
    expect(message?.["reasoning_details"]).toHaveLength(MANY);
  }, 60_000);

  test("with arguments over the limit, which are set aside and not kept", () => {
    const stream =
      calls(call({ index: 0, id: "a" }, "f", `{"x":"${"y".repeat(2_000)}"}`)) + finish("stop") + DONE;
    const [item] = readChat(stream, { maxArgumentBytes: 1_000 }).items;
    expect([item?.errorClass, item?.content, item?.bytes]).toEqual(["ARGUMENTS_TOO_LARGE", "", 2_008]);
  });

  test.each([
    [{ maxMessageBytes: 200 }, "MESSAGE_TOO_LARGE", "message_overflow"],
    [{ maxStreamBytes: 200 }, "STREAM_TOO_LARGE", "stream_overflow"],
  ])("with an overflow at %j", (options, errorClass, end) => {
    const reading = readChat(chunk({ content: "x".repeat(300) }) + finish("stop") + DONE, options);
    expect([summary(reading), reading.transport.end]).toEqual([["indeterminate", errorClass, []], end]);
  });
});
