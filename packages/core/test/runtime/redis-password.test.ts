import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { redisAddress, withRedisPassword } from "@airlock/core/runtime";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), "airlock-password-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function fileWith(text: string): string {
  const file = path.join(folder, "password");
  writeFileSync(file, text, { mode: 0o600 });
  return file;
}

describe("the password of Redis", () => {
  test("comes from the named file, whatever letters it has, and leaves the user in the address", () => {
    const settings = {
      redisUrl: "redis://streamer@redis:6379/1",
      redisPasswordFile: fileWith("a/b@c:d%\n"),
      more: 1,
    };
    const read = withRedisPassword(settings);
    expect(read).toEqual({ ...settings, redisUrl: expect.any(String) });
    const { username, password, host, pathname } = new URL(read.redisUrl);
    expect([username, decodeURIComponent(password), host, pathname]).toEqual([
      "streamer",
      "a/b@c:d%",
      "redis:6379",
      "/1",
    ]);
  });

  test("is the address's own where no file is named", () => {
    const settings = { redisUrl: "redis://u:p@redis", redisPasswordFile: "" };
    expect(withRedisPassword(settings)).toBe(settings);
  });

  test("is missed where the file is not there, or empty", () => {
    const redisUrl = "redis://u@redis";
    const missing = path.join(folder, "none");
    expect(() => withRedisPassword({ redisUrl, redisPasswordFile: missing })).toThrow("can't be read");
    expect(() => withRedisPassword({ redisUrl, redisPasswordFile: fileWith(" \n") })).toThrow("no password");
  });

  test("names a user where one is given", () => {
    expect(redisAddress("redis://h:1", { user: "client", password: "x" })).toBe("redis://client:x@h:1");
  });
});
