import { expect, test } from "vitest";
import { createStatusReader } from "../../src/sandbox/status-channel.ts";

test.each([
  ["", null, null],
  ['{ "child-pid": 12, "pid-namespace": 4026532181 }\n', 12, null],
  ['{ "child-pid": 12 }\n{ "exit-code": 7 }\n', 12, 7],
  ['{ "child-pid": 12 }\n{ "exit-code": 7 }', 12, null],
  ['{ "exit-code": "0" }\n', null, null],
  ['not json\n{ "child-pid": 12 }\n', 12, null],
])("reads %j", (text, childPid, exitCode) => {
  const reader = createStatusReader();
  for (const character of text) reader.push(character);
  expect(reader.status()).toEqual({ childPid, exitCode });
});
