import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { REDIS_LOGINS } from "@airlock/core/acl";
import { sha256Hex } from "@airlock/core/record";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { commandLine } from "./command-line.ts";

let folder = "";

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "airlock-acl-"));
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** `airlock acl made`, with more words, in the test's folder. */
async function acl(...words: readonly string[]): Promise<string> {
  const { code, said } = await commandLine(["acl", "made", ...words], { folder });
  expect(code).toBe(0);
  return said;
}

function passwordFile(login: string): string {
  return path.join(folder, "made", login, "redis-password");
}

function passwords(): readonly string[] {
  return REDIS_LOGINS.map((login) => readFileSync(passwordFile(login), "utf8").trim());
}

describe("airlock acl", () => {
  test("makes a password of its own for every login, and prints a file that holds nothing but their hashes", async () => {
    const text = await acl();
    const made = passwords();
    expect(new Set(made).size).toBe(REDIS_LOGINS.length);
    for (const [at, login] of REDIS_LOGINS.entries()) {
      expect(statSync(passwordFile(login)).mode & 0o777).toBe(0o600);
      expect(text).toContain(`user ${login} on #${sha256Hex(made[at] ?? "")} `);
    }
    expect(made.filter((password) => text.includes(password))).toEqual([]);
    expect(text.split("\n")[0]).toBe("user default off resetpass ~* &* +@all");
  });

  test("keeps the passwords that are there, and those that people bring", async () => {
    await acl();
    writeFileSync(passwordFile("console"), "a-password-of-somebody-s-own\n");
    const before = passwords();
    const text = await acl();
    expect(passwords()).toEqual(before);
    expect(text).toContain(`user console on #${sha256Hex("a-password-of-somebody-s-own")} `);
  });

  test("names WAITAOF only for a Redis that knows it", async () => {
    expect(await acl()).toContain("+waitaof");
    expect(await acl("--redis-7.0")).not.toContain("waitaof");
  });

  test("writes to a file that Redis' own user may read, and then prints no more than where", async () => {
    const printed = await acl();
    const said = await acl("--file", "users.acl");
    expect(readFileSync(path.join(folder, "users.acl"), "utf8")).toBe(`${printed}\n`);
    expect(said).not.toContain("user streamer");
    expect(passwords().filter((password) => said.includes(password))).toEqual([]);
  });

  test("refuses a password that others may read, and one that could be guessed", async () => {
    await acl();
    chmodSync(passwordFile("streamer"), 0o644);
    await expect(acl()).rejects.toThrow("may be read by others");
    chmodSync(passwordFile("streamer"), 0o600);
    writeFileSync(passwordFile("streamer"), "secret\n");
    await expect(acl()).rejects.toThrow("at least 24 letters");
  });
});
