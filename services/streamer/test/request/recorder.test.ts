import { expect, test } from "vitest";
import { createRecorder } from "../../src/request/recorder.ts";

test("a recorder keeps what was added, whatever becomes of the caller's memory", () => {
  const recorder = createRecorder(4);
  const chunk = Uint8Array.from([1, 2]);
  recorder.add(chunk);
  chunk.fill(9);
  recorder.add(chunk);
  expect(recorder.bytes()).toEqual(Buffer.from([1, 2, 9, 9]));
});

test("a recorder keeps nothing of a response beyond its limit, nor of one without bytes", () => {
  const recorder = createRecorder(4);
  expect(recorder.bytes()).toBeNull();
  recorder.add(new Uint8Array(5));
  recorder.add(new Uint8Array(1));
  expect(recorder.bytes()).toBeNull();
});
