import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { loadWebhooks } from "../../src/notify/webhooks.ts";

const SECRET = "5".repeat(64);
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), "airlock-webhooks-"));
  writeFileSync(path.join(folder, "secret"), `${SECRET}\n`, { mode: 0o600 });
  writeFileSync(path.join(folder, "short"), "hunter2", { mode: 0o600 });
  writeFileSync(path.join(folder, "open"), SECRET, { mode: 0o644 });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function load(text: string, mode = 0o600): ReturnType<typeof loadWebhooks> {
  const file = path.join(folder, "webhooks.yaml");
  writeFileSync(file, text);
  chmodSync(file, mode);
  return loadWebhooks(file);
}

function entry(changed: Readonly<Record<string, string>> = {}): string {
  const fields = {
    name: "chat",
    url: "https://chat.example/hook?room=1",
    secretFile: "secret",
    events: "[run_ended]",
    ...changed,
  };
  return `webhooks:\n  - { ${Object.entries(fields)
    .map(([key, value]) => `${key}: ${value}`)
    .join(", ")} }\n`;
}

describe("a webhooks file", () => {
  test("names who is told of what, with secrets from files beside it", () => {
    expect(load(entry({ labels: "{ team: blue }" }))).toEqual([
      {
        name: "chat",
        url: "https://chat.example/hook?room=1",
        secret: SECRET,
        events: ["run_ended"],
        labels: { team: "blue" },
      },
    ]);
  });

  test("may be left out", () => {
    expect([loadWebhooks(""), load("webhooks: []")]).toEqual([[], []]);
  });

  test.each([
    ["an unknown event", entry({ events: "[run_started]" }), /webhooks\.yaml:2:\d+: webhooks\.0\.events\.0/],
    ["no event", entry({ events: "[]" }), /webhooks\.yaml:2:\d+: webhooks\.0\.events/],
    ["an unknown key", entry({ retries: "3" }), /webhooks\.yaml:2:\d+: unknown key "retries"/],
    [
      "a missing secret file",
      entry({ secretFile: "gone" }),
      /webhooks\.yaml:2:\d+: .*gone can't be read \(ENOENT\)/,
    ],
    ["a short secret", entry({ secretFile: "short" }), /webhooks\.yaml:2:\d+: .*fewer than 32 characters/],
    ["a secret that others may read", entry({ secretFile: "open" }), /webhooks\.yaml:2:\d+: .*chmod 600/],
    [
      "a password in the address",
      entry({ url: "https://a:b@chat.example/" }),
      /webhooks\.yaml:2:\d+: webhooks\.0\.url/,
    ],
    ["another scheme", entry({ url: "file:///etc/passwd" }), /webhooks\.yaml:2:\d+: webhooks\.0\.url/],
    ["a name with a colon", entry({ name: '"a:b"' }), /webhooks\.yaml:2:\d+: webhooks\.0\.name/],
    [
      "a name twice",
      entry() + entry().replace("webhooks:\n", ""),
      /webhooks\.yaml:3:\d+: the name "chat" is there already/,
    ],
  ])("is refused with its place for %s, and the secret isn't told", (_what, text, problem) => {
    expect(() => load(text)).toThrow(problem);
    expect(() => load(text)).not.toThrow(/hunter2|5555/);
  });

  test("is refused where others may read it: an address may be a secret", () => {
    expect(() => load(entry(), 0o644)).toThrow(/chmod 600/);
  });
});
