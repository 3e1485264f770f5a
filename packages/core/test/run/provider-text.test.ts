import { createKeyrings } from "@airlock/core/record";
import { openProviderText, sealProviderText } from "@airlock/core/run";
import { expect, test } from "vitest";

const keyrings = createKeyrings();
const attempt = { run: "r00000000000000000000", turn: 1, attempt: 2 };

test("a provider's words are opened by the client, and only for their own attempt", () => {
  const providerText = sealProviderText(keyrings.streamer, attempt, "Malformed: f(") ?? "";
  expect(openProviderText(keyrings.client, attempt, { providerText })).toBe("Malformed: f(");
  expect(() => openProviderText(keyrings.client, { ...attempt, attempt: 1 }, { providerText })).toThrow(
    "was edited or moved",
  );
  expect(openProviderText(keyrings.client, attempt, {})).toBeNull();
  expect(sealProviderText(keyrings.streamer, attempt, null)).toBeNull();
});
