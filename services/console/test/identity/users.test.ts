import { hashPassword, newToken, parseUsers, tokenDigest } from "@airlock/console";
import { describe, expect, test } from "vitest";
import { identify } from "../../src/identity/identify.ts";
import { matchesPassword } from "../../src/identity/password.ts";
import { addressMatcher, isAddressRange } from "../../src/identity/proxy-addresses.ts";
import { ROLES } from "../../src/identity/roles.ts";
import { safePlace } from "../../src/session/session-routes.ts";
import { readText } from "../../../../test/architecture/source-tree.ts";

const HASH = `scrypt$32768$8$1$${"a".repeat(22)}$${"b".repeat(43)}`;
const DIGEST = "0".repeat(64);

function problemsOf(text: string): string {
  try {
    parseUsers({ name: "users.yaml", text });
    return "";
  } catch (error) {
    return error instanceof Error ? error.message : "";
  }
}

describe("a users file", () => {
  test("is read with its users, tokens and proxy", () => {
    const text = `users: [{ name: ada, roles: [viewer], password: "${HASH}" }]
tokens: [{ name: ci, roles: [submitter], sha256: "${DIGEST}" }]
proxy: { header: x-user, from: [10.0.0.0/8, "::1"], users: [{ name: grace, roles: [approver] }] }`;
    expect(parseUsers({ name: "users.yaml", text })).toEqual({
      users: [{ name: "ada", roles: ["viewer"], password: HASH }],
      tokens: [{ name: "ci", roles: ["submitter"], sha256: DIGEST }],
      proxy: {
        header: "x-user",
        from: ["10.0.0.0/8", "::1"],
        users: [{ name: "grace", roles: ["approver"] }],
      },
    });
  });

  test.each([
    ["an unknown role", `users: [{ name: a, roles: [root], password: "${HASH}" }]`, "1:28"],
    ["no role", `users: [{ name: a, roles: [], password: "${HASH}" }]`, "roles"],
    ["a password in the clear", "users: [{ name: a, roles: [viewer], password: hunter2 }]", "not a hash"],
    [
      "a hash that is too cheap",
      `users: [{ name: a, roles: [viewer], password: "${HASH.replace("32768", "1024")}" }]`,
      "not a hash",
    ],
    [
      "a hash that takes all memory",
      `users: [{ name: a, roles: [viewer], password: "${HASH.replace("32768", "4194304")}" }]`,
      "not a hash",
    ],
    ["a token in the clear", "tokens: [{ name: a, roles: [viewer], sha256: secret }]", "64 hexadecimal"],
    [
      "a name twice",
      `tokens: [{ name: a, roles: [viewer], sha256: "${DIGEST}" }, { name: a, roles: [viewer], sha256: "${DIGEST}" }]`,
      "is there already",
    ],
    [
      "a name with a line break",
      `tokens: [{ name: "a\\nb", roles: [viewer], sha256: "${DIGEST}" }]`,
      "letters, digits",
    ],
    ["a proxy of everywhere", "proxy: { header: x-user, from: [all] }", "an address"],
    ["a proxy of nowhere", "proxy: { header: x-user, from: [] }", "proxy.from"],
    ["a header that browsers set", "proxy: { header: cookie, from: [10.0.0.1] }", "a header of its own"],
    ["an unknown key", "user: []", "unknown key"],
  ])("with %s is refused, with its place", (_, text, problem) => {
    expect(problemsOf(text)).toContain(problem);
    expect(problemsOf(text)).toMatch(/users\.yaml:1:\d+: /);
    expect(problemsOf(text)).not.toMatch(/hunter2|secret/);
  });
});

describe("a password", () => {
  test("matches its own hash alone, and no two hashes are alike", async () => {
    const [one, two] = [await hashPassword("correct horse"), await hashPassword("correct horse")];
    expect(one).not.toBe(two);
    expect(await matchesPassword("correct horse", one)).toBe(true);
    expect(await matchesPassword("correct horsf", one)).toBe(false);
    expect(await matchesPassword("", "")).toBe(false);
  });
});

describe("an address", () => {
  test.each([
    ["10.1.2.3", true],
    ["::ffff:10.1.2.3", true],
    ["11.0.0.1", false],
    ["fd00::1", true],
    ["fe80::1", false],
    ["", false],
    ["10.1.2.3, 11.0.0.1", false],
  ])("%s is listed: %s", (address, listed) => {
    expect(addressMatcher(["10.0.0.0/8", "fd00::/8"])(address)).toBe(listed);
  });

  test.each(["10.0.0.0/33", "10.0.0/8", "fd00::/129", "10.0.0.0/8/8", "10.0.0.0/", "localhost", ""])(
    "%j is no range",
    (range) => {
      expect(isAddressRange(range)).toBe(false);
    },
  );
});

describe("who asks", () => {
  const token = newToken();
  const users = parseUsers({
    name: "u",
    text: `tokens: [{ name: ci, roles: [operator], sha256: "${tokenDigest(token)}" }]`,
  });
  const from = (authorization?: string) =>
    identify(
      { headers: authorization === undefined ? {} : { authorization }, peer: "127.0.0.1" },
      { users, isProxy: () => false },
    );

  test("is told by a token, with what the role includes", () => {
    expect(from(`Bearer ${token}`)).toEqual({
      kind: "known",
      principal: { name: "ci", via: "token", roles: new Set(["operator", "viewer", "submitter"]) },
    });
  });

  test.each(["Bearer", `Basic ${token}`, `Bearer ${token}x`, `Bearer ${token.slice(0, -1)}`, "", token])(
    "is refused where %j is sent",
    (authorization) => {
      expect(from(authorization)).toEqual({ kind: "refused", why: "token" });
    },
  );

  test("is nobody yet without one", () => {
    expect(from()).toEqual({ kind: "none" });
  });
});

test("docs/console.md has the roles as they are", () => {
  const rows = readText("docs/console.md")
    .split("\n")
    .filter((line) => line.startsWith("| `"))
    .map((line) =>
      line
        .split("|")
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
  expect(rows).toEqual(
    Object.entries(ROLES).map(([name, { includes, may }]) => [`\`${name}\``, includes.join(", "), may]),
  );
});

test.each([
  ["/runs/r1?tab=calls", "/runs/r1?tab=calls"],
  ["//evil.example", "/"],
  ["/\\evil.example", "/"],
  ["/a\\..\\b", "/"],
  ["https://evil.example", "/"],
  ["runs", "/"],
  ["/a\nb", "/"],
  [undefined, "/"],
])("after the login %j leads to %j", (next, place) => {
  expect(safePlace(next)).toBe(place);
});
