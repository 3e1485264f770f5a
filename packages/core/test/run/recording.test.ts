import { createKeyrings } from "@airlock/core/record";
import { openRecording, sealRecording } from "@airlock/core/run";
import { expect, test } from "vitest";

const keyrings = createKeyrings();
const attempt = { run: "r00000000000000000000", turn: 1, attempt: 2 };
const bytes = Uint8Array.from([0xff, 0x00, 0x64]);

test("a recording is opened by the client, byte for byte, and only for its own attempt", () => {
  const recording = sealRecording(keyrings.streamer, attempt, bytes);
  expect(openRecording(keyrings.client, attempt, { recording })).toEqual(Buffer.from(bytes));
  expect(() => openRecording(keyrings.client, { ...attempt, attempt: 1 }, { recording })).toThrow(
    "was edited or moved",
  );
  expect(openRecording(keyrings.client, attempt, {})).toBeNull();
});
