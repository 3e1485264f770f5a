import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createKeyrings, openSealed, sealBody, type Keyring } from "@airlock/core/record";

const keyrings = createKeyrings();
const where = { seal: "calls", place: "airlock:{r}:item:a" } as const;

function parts(sealed: string): [string, string, string, string] {
  const [version = "", keyId = "", nonce = "", body = ""] = sealed.split(".");
  return [version, keyId, nonce, body];
}

describe("a sealed body", () => {
  test("opens for every holder of the seal, whatever the text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        expect(openSealed(keyrings.executor, where, sealBody(keyrings.streamer, where, text))).toBe(text);
      }),
    );
  });

  test("shows nothing of its text, and is never the same twice", () => {
    const sealed = sealBody(keyrings.streamer, where, "canary canary canary");
    expect(sealed).not.toContain("canary");
    expect(Buffer.from(parts(sealed)[3], "base64url").toString("latin1")).not.toContain("canary");
    expect(sealBody(keyrings.streamer, where, "canary canary canary")).not.toBe(sealed);
  });

  const sealed = sealBody(keyrings.validator, where, "text");
  const [version, keyId, nonce, body] = parts(sealed);
  const bytes = Buffer.from(body, "base64url");
  const flipped = Buffer.from(bytes);
  flipped[0] = (flipped[0] ?? 0) ^ 1;
  test.each<[string, string]>([
    ["a changed letter", [version, keyId, nonce, flipped.toString("base64url")].join(".")],
    ["a changed nonce", [version, keyId, Buffer.alloc(12).toString("base64url"), body].join(".")],
    ["a cut tag", [version, keyId, nonce, bytes.subarray(0, -1).toString("base64url")].join(".")],
    [
      "nothing but a piece of a tag",
      [version, keyId, nonce, bytes.subarray(-12).toString("base64url")].join("."),
    ],
    ["an empty body", [version, keyId, nonce, ""].join(".")],
    ["an unknown key id", [version, "calls-0", nonce, body].join(".")],
    ["another version", ["s2", keyId, nonce, body].join(".")],
    ["a further part", `${sealed}.x`],
    ["plain text", "text"],
    ["no text", ""],
  ])("with %s does not open", (_, text) => {
    expect(() => openSealed(keyrings.validator, where, text)).toThrow(
      expect.objectContaining({ code: "SEAL_INVALID" }),
    );
  });

  // A text of eight bytes with a tag of four: without a fixed tag length, Node would check those four bytes only.
  test("is refused with a shorter tag before its bytes are looked at", () => {
    const short = [version, keyId, nonce, Buffer.alloc(12).toString("base64url")].join(".");
    const cause = (): unknown => {
      try {
        return openSealed(keyrings.validator, where, short);
      } catch (error) {
        return error instanceof Error ? error.cause : null;
      }
    };
    expect(String(cause())).toMatch(/Invalid authentication tag length/);
  });

  test("does not open in another place, under another seal, or in another cell", () => {
    const moved = { ...where, place: "airlock:{r}:item:b" };
    expect(() => openSealed(keyrings.validator, moved, sealed)).toThrow(/edited or moved/);
    const otherSeal = { ...where, seal: "run" } as const;
    expect(() => openSealed(keyrings.validator, otherSeal, sealed)).toThrow(/no run key with the id/);
    expect(() => openSealed(createKeyrings().validator, where, sealed)).toThrow(/no calls key with the id/);
  });

  test("is not for a role that does not hold the seal", () => {
    expect(() => sealBody(keyrings.executor, { ...where, seal: "run" }, "")).toThrow(/executor holds no run/);
    expect(() => sealBody(keyrings.client, { ...where, seal: "conversation" }, "")).toThrow(
      /client holds no/,
    );
  });

  test("opens with an older key after a rotation, and new ones are made with the current key", () => {
    const held = keyrings.validator.seals.calls;
    if (held === undefined) throw new Error("no seal");
    const fresh = { keyId: "calls-new", key: Buffer.alloc(32, 7).toString("base64") };
    const rotated: Keyring = {
      ...keyrings.validator,
      seals: { ...keyrings.validator.seals, calls: { current: "calls-new", keys: [fresh, ...held.keys] } },
    };
    expect(openSealed(rotated, where, sealed)).toBe("text");
    expect(parts(sealBody(rotated, where, "text"))[1]).toBe("calls-new");
  });
});
