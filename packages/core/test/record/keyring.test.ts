import { describe, expect, test } from "vitest";
import { createKeyrings, parseKeyring, ROLES, SEALS, type Role } from "@airlock/core/record";

const keyrings = createKeyrings();

describe("the keyrings of a cell", () => {
  test.each<[Role, readonly string[]]>([
    ["client", ["calls", "raw", "run"]],
    ["streamer", ["conversation", "calls", "raw"]],
    ["validator", ["conversation", "calls", "run"]],
    ["executor", ["calls"]],
    ["console", ["calls", "run"]],
    ["approver", []],
  ])("give the %s the seals %j and no other", (role, seals) => {
    expect(Object.keys(keyrings[role].seals).toSorted()).toEqual([...seals].toSorted());
  });

  test("hold one private key each, and no two the same", () => {
    const privateKeys = ROLES.map((role) => keyrings[role].signing.privateKey);
    expect(new Set(privateKeys).size).toBe(ROLES.length);
    for (const role of ROLES) {
      const text = JSON.stringify(keyrings[role]);
      expect(text.match(/PRIVATE KEY-----/g)).toHaveLength(2);
      for (const other of ROLES.filter((each) => each !== role)) {
        const secret = keyrings[other].signing.privateKey.split("\n")[1] ?? "";
        expect(text).not.toContain(secret);
      }
    }
  });

  test("share each sealing key among its holders only", () => {
    for (const [name, holders] of Object.entries(SEALS) as [keyof typeof SEALS, readonly Role[]][]) {
      const [holder = "client"] = holders;
      const [key] = keyrings[holder].seals[name]?.keys ?? [];
      expect(key?.key).toHaveLength(44);
      const having = ROLES.filter((role) => JSON.stringify(keyrings[role]).includes(key?.key ?? "-"));
      expect(having.toSorted()).toEqual(holders.toSorted());
    }
  });

  test("come back whole from their file's text", () => {
    for (const role of ROLES) {
      expect(parseKeyring(JSON.stringify(keyrings[role]), { file: "k.json", role })).toEqual(keyrings[role]);
    }
  });
});

const own = keyrings.executor;
describe("a keyring file is refused", () => {
  test.each<[string, string, RegExp]>([
    ["that is not JSON", "{", /k\.json is not JSON/],
    ["of another role", JSON.stringify(keyrings.validator), /k\.json is the validator's, not the executor's/],
    ["with an unknown key", JSON.stringify({ ...own, note: 1 }), /at: \(top\)/],
    ["of another version", JSON.stringify({ ...own, v: 2 }), /at: v/],
    ["without a signing key", JSON.stringify({ ...own, signing: undefined }), /at: signing/],
    [
      "with a short sealing key",
      JSON.stringify({ ...own, seals: { calls: { current: "a", keys: [{ keyId: "a", key: "AAAA" }] } } }),
      /at: seals\.calls\.keys\.0\.key/,
    ],
  ])("%s", (_, text, message) => {
    expect(() => parseKeyring(text, { file: "k.json", role: "executor" })).toThrow(message);
  });

  test("without quoting what is in it", () => {
    const broken = JSON.stringify(own).slice(0, -1);
    const told = (text: string): string => {
      try {
        parseKeyring(text, { file: "k.json", role: "executor" });
        return "";
      } catch (error) {
        return String(error);
      }
    };
    for (const text of [broken, JSON.stringify({ ...own, signing: own.signing.privateKey })]) {
      expect(told(text)).toContain("k.json");
      expect(told(text)).not.toContain(own.signing.privateKey.split("\n")[1]);
    }
  });
});
