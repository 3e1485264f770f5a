import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { AirlockError } from "@airlock/core/fault";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { commandLine } from "./command-line.ts";

const POLICY = `apiVersion: airlock.policy/v1
mode: enforce
paths: { read: { allow: ["**"], forbid: [secret] }, write: { allow: ["src/**"] } }
rules:
  - { id: read, decision: allow, tool: read_file, match: [{ path: a }], notMatch: [{ path: secret }] }
  - { id: write, decision: approve, tool: write_file, approve: { ttl: 5m, quorum: 2 }, private: true, reason: ask }
`;

let folder = "";

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "airlock-policy-"));
  writeFileSync(path.join(folder, "p.yaml"), POLICY);
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const airlock = (...words: readonly string[]) => commandLine(words, { folder });

function explain(tool: string, args: string, ...more: readonly string[]) {
  return airlock("policy", "explain", "--policy", "p.yaml", "--tool", tool, "--args", args, ...more);
}

async function refusal(asked: Promise<unknown>): Promise<string> {
  const error: unknown = await asked.catch((thrown: unknown) => thrown);
  if (error instanceof AirlockError) return `${error.code}: ${error.message}`;
  throw new Error("it was not refused");
}

describe("airlock policy test", () => {
  test("sums up a policy whose examples hold", async () => {
    expect(await airlock("policy", "test", "p.yaml")).toEqual({
      code: 0,
      said: "ok p.yaml: 2 rules, 2 examples, all of them hold",
    });
  });

  test("shows each failing example with its line, and ends with 1", async () => {
    writeFileSync(path.join(folder, "p.yaml"), POLICY.replace("{ path: secret }", "{ path: other }"));
    expect(await airlock("policy", "test", "p.yaml")).toEqual({
      code: 1,
      said: [
        'p.yaml:5:84: rule "read" matches an example under notMatch',
        "    5 |   - { id: read, decision: allow, tool: read_file, match: [{ path: a }], notMatch: [{ path: other }] }",
        `      | ${" ".repeat(83)}^`,
        "",
        "FAILED p.yaml: 1 problem",
      ].join("\n"),
    });
  });

  test("takes a rule that can decide nothing for a problem", async () => {
    writeFileSync(
      path.join(folder, "p.yaml"),
      `${POLICY}  - { id: no, decision: forbid, tool: read_file }\n`,
    );
    const { code, said } = await airlock("policy", "test", "p.yaml");
    expect(code).toBe(1);
    expect(said).toContain(
      'p.yaml:5:5: rule "read" can decide nothing: rule "no" decides forbid on all that it matches',
    );
    expect(said).toContain("FAILED p.yaml: 3 rules, 2 examples, 1 problem");
  });

  test.each(["", "mode: enforce\nextra: 1\n", "\u0000"])(
    "fails on a file that is no policy: %j",
    async (text) => {
      writeFileSync(path.join(folder, "p.yaml"), text);
      const { code, said } = await airlock("policy", "test", "p.yaml");
      expect([code, /^p\.yaml:\d+:\d+: /.test(said), said.includes("FAILED p.yaml")]).toEqual([
        1,
        true,
        true,
      ]);
    },
  );

  test("refuses a file that is not there", async () => {
    expect(await refusal(airlock("policy", "test", "q.yaml"))).toContain(`there is no file ${folder}/q.yaml`);
  });
});

describe("airlock policy explain", () => {
  test("gives one JSON document of exactly these keys", async () => {
    const { code, said } = await explain("read_file", '{"path":"secret"}', "--json");
    expect([code, JSON.parse(said)]).toEqual([
      0,
      {
        decision: "forbid",
        winning: "paths.read",
        policyDigest: expect.stringMatching(/^[0-9a-f]{64}$/),
        matched: [
          { rule: "paths.read", decision: "forbid", reason: "a path is in paths.read.forbid" },
          { rule: "read", decision: "allow", reason: "rule read decides allow" },
        ],
      },
    ]);
  });

  test("says the same to people, with what an approval has to be", async () => {
    const { code, said } = await explain("write_file", '{"path":"src/a","content":""}');
    expect(code).toBe(0);
    expect(said.split("\n").slice(0, -1)).toEqual([
      "approve by write: ask",
      "waits for 2 people, at most 300 s; risk medium",
      "",
      "RULE   DECISION  REASON",
      "write  approve   ask",
      "",
    ]);
  });

  test("looks at a workspace where it is given one", async () => {
    mkdirSync(path.join(folder, "w/src"), { recursive: true });
    symlinkSync("/etc", path.join(folder, "w/src/out"));
    const args = '{"path":"src/out/x","content":""}';
    const winning = async (...more: readonly string[]): Promise<unknown> =>
      JSON.parse((await explain("write_file", args, "--json", ...more)).said);
    expect(await winning()).toMatchObject({ decision: "approve" });
    expect(await winning("--workspace", "w")).toMatchObject({ decision: "forbid", winning: "paths.write" });
  });

  test.each(["__proto__", "airlock.check_patch"])(
    "has an answer for %s, which no catalog holds, and the same with a workspace",
    async (tool) => {
      mkdirSync(path.join(folder, "w"));
      const alone = (await explain(tool, "{}", "--json")).said;
      expect(JSON.parse(alone)).toMatchObject({ decision: "forbid", winning: "no-match" });
      expect((await explain(tool, "{}", "--json", "--workspace", "w")).said).toBe(alone);
    },
  );

  test.each<[string, () => Promise<unknown>, string]>([
    ["arguments that are no JSON", () => explain("read_file", "{"), "JSON_TRUNCATED"],
    [
      "arguments with a doubled key",
      () => explain("read_file", '{"path":"a","path":"b"}'),
      "JSON_DUPLICATE_KEY",
    ],
    ["arguments that the schema refuses", () => explain("read_file", '{"file":"a"}'), "SCHEMA_VIOLATION"],
    ["no object, for an unknown tool", () => explain("x", "1"), "--args are not one JSON object"],
    [
      "a workspace that is not there",
      () => explain("read_file", '{"path":"a"}', "--workspace", "w"),
      "is no folder",
    ],
    ["no policy", () => airlock("policy", "explain", "--tool", "x", "--args", "{}"), "needs --policy"],
    [
      "a policy that is not there",
      () => airlock("policy", "explain", "--policy", "q", "--tool", "x", "--args", "{}"),
      "can't be read",
    ],
  ])("refuses %s", async (_name, asked, message) => {
    expect(await refusal(asked())).toContain(message);
  });
});

describe("a command of two words", () => {
  test("is asked for where only the first is given", async () => {
    expect(await refusal(airlock("policy"))).toContain(
      '"policy" is not a command; there are policy test, policy explain',
    );
    expect(await refusal(airlock("policy", "lint"))).toContain('"policy lint" is not a command');
  });

  test.each([
    [["policy", "--help"], "policy explain"],
    [["help", "policy", "test"], "Usage: airlock policy test FILE"],
    [["policy", "explain", "--help"], "Usage: airlock policy explain [FLAGS]"],
  ])("has its help: %j", async (words, shown) => {
    expect((await airlock(...words)).said).toContain(shown);
  });
});
