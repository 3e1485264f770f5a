import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { AirlockError } from "@airlock/core/fault";
import { ROLES, type ListedKey } from "@airlock/core/record";
import { loadKeyring } from "@airlock/core/runtime";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { commandLine } from "./command-line.ts";

let folder = "";

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "airlock-keys-"));
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** A command of `airlock`, in the test's folder. */
const airlock = (...words: readonly string[]) => commandLine(words, { folder });

const keys = () => airlock("keys", "create", "made");

function keyringFile(role: string): string {
  return path.join(folder, "made", role, `${role}.json`);
}

describe("airlock keys create", () => {
  test("gives every role a folder with its own keyring, which its user alone can read", async () => {
    expect(await keys()).toEqual({ code: 0, said: `keys made in ${path.join(folder, "made")}` });
    for (const role of ROLES) {
      expect(readdirSync(path.dirname(keyringFile(role)))).toEqual([`${role}.json`]);
      expect(statSync(keyringFile(role)).mode & 0o777).toBe(0o600);
      expect(loadKeyring(keyringFile(role), role).role).toBe(role);
    }
  });

  test("makes a set that fits together: each role trusts the others' keys", async () => {
    await keys();
    const keyrings = ROLES.map((role) => loadKeyring(keyringFile(role), role));
    for (const { role, signing } of keyrings) {
      for (const other of keyrings) {
        expect(other.trusted[role].map(({ keyId }) => keyId)).toEqual([signing.keyId]);
      }
    }
  });

  test("keeps the keys that exist", async () => {
    await keys();
    const before = ROLES.map((role) => readFileSync(keyringFile(role), "utf8"));
    expect(await keys()).toEqual({ code: 0, said: `${path.join(folder, "made")} has its keys already` });
    expect(ROLES.map((role) => readFileSync(keyringFile(role), "utf8"))).toEqual(before);
  });

  test("refuses a set that is not whole, naming what is missing", async () => {
    await keys();
    rmSync(keyringFile("executor"));
    const error: unknown = await keys().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(AirlockError);
    expect(error).toMatchObject({ code: "KEYS_INVALID", message: expect.stringContaining("executor") });
  });
});

describe("airlock keys list, rotate and revoke", () => {
  const listed = async () => {
    const keysThere: readonly ListedKey[] = JSON.parse(
      (await airlock("keys", "list", "made", "--json")).said,
    );
    return keysThere;
  };

  test("show ids and states, and not one secret", async () => {
    await keys();
    const { said } = await airlock("keys", "list", "made");
    for (const role of ROLES) {
      const { signing, seals } = loadKeyring(keyringFile(role), role);
      expect(said).toContain(signing.keyId);
      for (const seal of Object.values(seals)) expect(said).not.toContain(seal?.keys[0]?.key);
    }
    expect(said).not.toContain("PRIVATE");
  });

  test("say which step was taken and what comes next, and keep files private", async () => {
    await keys();
    const first = await airlock("keys", "rotate", "made", "--only", "executor,run");
    expect(first).toEqual({
      code: 0,
      said: expect.stringMatching(/^executor, run: next keys are known to all/),
    });
    expect((await listed()).filter(({ state }) => state === "next").map(({ name }) => name)).toEqual([
      "executor",
      "run",
    ]);
    const second = await airlock("keys", "rotate", "made");
    expect(second.said).toMatch(/^executor, run: next keys are the current ones now/);
    for (const role of ROLES) {
      expect(readdirSync(path.dirname(keyringFile(role)))).toEqual([`${role}.json`]);
      expect(statSync(keyringFile(role)).mode & 0o777).toBe(0o600);
    }
  });

  test("take an old key away, and no other", async () => {
    await keys();
    const [{ keyId } = { keyId: "" }] = await listed();
    await expect(airlock("keys", "revoke", "made", "--key", keyId)).rejects.toThrow(
      /in use: rotate client first/,
    );
    await airlock("keys", "rotate", "made");
    await airlock("keys", "rotate", "made");
    expect((await airlock("keys", "revoke", "made", "--key", keyId)).said).toContain(`${keyId} is revoked`);
    expect((await listed()).map((key) => key.keyId)).not.toContain(keyId);
    await expect(airlock("keys", "revoke", "made", "--key", keyId)).rejects.toThrow(/no keyring knows/);
  });

  test.each([
    [["rotate", "made", "--only", "executer"], /--only executer: there are client, streamer/],
    [["revoke", "made"], /--key names the key/],
    [["rotate", "nowhere"], /missing: .*nowhere.*put them back/],
  ] as const)("refuse %j", async (words, says) => {
    await keys();
    await expect(airlock("keys", ...words)).rejects.toThrow(says);
  });

  test("leave every file as it was where one can't be written", async () => {
    await keys();
    mkdirSync(`${keyringFile("client")}.new`);
    const before = ROLES.map((role) => readFileSync(keyringFile(role), "utf8"));
    await expect(airlock("keys", "rotate", "made")).rejects.toThrow(/client.json can't be written \(E/);
    expect(ROLES.map((role) => readFileSync(keyringFile(role), "utf8"))).toEqual(before);
  });
});
