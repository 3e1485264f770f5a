import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { AirlockError } from "@airlock/core/fault";
import { ROLES } from "@airlock/core/record";
import { loadKeyring } from "@airlock/core/runtime";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { COMMANDS, runCommandLine } from "../../src/command/index.ts";
import type { Screen } from "../../src/view/index.ts";

let folder = "";

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "airlock-keys-"));
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** `airlock keys made`, in the test's folder. */
async function keys(): Promise<{ readonly code: number; readonly said: string }> {
  const lines: string[] = [];
  const screen: Screen = {
    terminal: false,
    columns: () => 100,
    print: (line) => void lines.push(line),
    write: (text) => void lines.push(text),
    style: (_, text) => text,
  };
  const context = { environment: {}, folder, out: screen, errors: screen };
  const code = await runCommandLine(COMMANDS, ["keys", "made"], context);
  return { code, said: lines.join("") };
}

function keyringFile(role: string): string {
  return path.join(folder, "made", role, `${role}.json`);
}

describe("airlock keys", () => {
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
