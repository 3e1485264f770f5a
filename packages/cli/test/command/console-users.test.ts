import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { loadUsers, tokenDigest } from "@airlock/console";
import { afterEach, beforeEach, expect, test } from "vitest";
import { dataPaths, prepareUsers } from "../../src/local/index.ts";
import { commandLine } from "./command-line.ts";

let folder = "";
let file = "";

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "airlock-users-"));
  file = path.join(folder, "users.yaml");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function token(...words: readonly string[]): Promise<string> {
  return (await commandLine(["console", "token", ...words, "--file", "users.yaml"], { folder })).said;
}

test("a token is printed once, and only its digest is kept, in a file that its owner alone reads", async () => {
  const made = await token("ci", "--role", "submitter");
  expect(loadUsers(file).tokens).toEqual([{ name: "ci", roles: ["submitter"], sha256: tokenDigest(made) }]);
  expect(readFileSync(file, "utf8")).not.toContain(made);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test("a token of the same name takes the place of the old one, and keeps roles and comments", async () => {
  writeFileSync(file, "# ours\ntokens: []\n");
  await token("ci", "--role", "viewer", "--role", "submitter");
  await token("other", "--role", "viewer");
  const made = await token("ci");
  expect(loadUsers(file).tokens).toMatchObject([
    { name: "ci", roles: ["viewer", "submitter"], sha256: tokenDigest(made) },
    { name: "other" },
  ]);
  expect(readFileSync(file, "utf8")).toContain("# ours");
});

test.each([
  ["without a role", ["ci"], "USAGE"],
  ["with an unknown role", ["ci", "--role", "root"], "USERS_INVALID"],
])("%s nothing is written", async (_, words, code) => {
  await expect(token(...words)).rejects.toMatchObject({ code });
  expect(statSync(file, { throwIfNoEntry: false })).toBeUndefined();
});

test("`airlock up` makes an admin and a token once, and keeps what is there", async () => {
  const paths = {
    ...dataPaths(folder),
    users: file,
    consolePassword: `${file}.p`,
    consoleToken: `${file}.t`,
  };
  await prepareUsers(paths);
  const before = readFileSync(file, "utf8");
  const { users, tokens } = loadUsers(file);
  expect(users.map(({ name, roles }) => ({ name, roles }))).toEqual([
    { name: "admin", roles: ["operator", "approver"] },
  ]);
  expect(tokens[0]?.sha256).toBe(tokenDigest(readFileSync(paths.consoleToken, "utf8").trim()));
  await prepareUsers(paths);
  expect(readFileSync(file, "utf8")).toBe(before);
});
