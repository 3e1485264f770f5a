import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createHash } from "node:crypto";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { BUILTIN_CATALOG, type ToolCatalog } from "@airlock/core/tool";
import { loadPolicyProfiles, servePolicies, type Log, type Metrics } from "@airlock/core/runtime";

let folder = "";

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "airlock-policies-"));
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

function text(decision: string, mode = "enforce", more = ""): string {
  return `apiVersion: airlock.policy/v1\nmode: ${mode}\n${more}paths: { read: { allow: ["**"] } }\nrules: [{ id: read, decision: ${decision}, tool: read_file }]\n`;
}

function write(name: string, content: string): void {
  writeFileSync(path.join(folder, name), content);
}

describe("a folder of profiles", () => {
  test("gives each .yaml file a name, and the shadow beside it", () => {
    write("a.yaml", text("allow"));
    write("a.shadow.yaml", text("forbid", "shadow"));
    write("b.yaml", text("flag"));
    write("README.md", "no policy");
    const profiles = loadPolicyProfiles(folder);
    expect(
      [...profiles].map(([name, { enforced, shadow }]) => [name, enforced.mode, shadow?.mode ?? null]),
    ).toEqual([
      ["a", "enforce", "shadow"],
      ["b", "enforce", null],
    ]);
  });

  test("may keep below it what its profiles extend", () => {
    const base = text("allow");
    mkdirSync(path.join(folder, "base"));
    write("base/read.yaml", base);
    const sum = createHash("sha256").update(base).digest("hex");
    write(
      "a.yaml",
      `apiVersion: airlock.policy/v1\nmode: enforce\nextends: [{ path: base/read.yaml, sha256: "${sum}" }]\n`,
    );
    expect(loadPolicyProfiles(folder).get("a")?.enforced.layers).toHaveLength(2);
    rmSync(path.join(folder, "base/read.yaml"));
    expect(() => loadPolicyProfiles(folder)).toThrow(
      `${folder}/a.yaml:3:13: there is no file base/read.yaml`,
    );
  });

  test.each<[string, Readonly<Record<string, string>>, RegExp]>([
    ["that is empty", {}, /holds no \.yaml file/],
    [
      "with a shadow alone",
      { "a.yaml": text("allow"), "b.shadow.yaml": text("allow", "shadow") },
      /b\.shadow\.yaml:1:1: there is no b\.yaml that it could shadow/,
    ],
    [
      "with a shadow that acts",
      { "a.yaml": text("allow"), "a.shadow.yaml": text("allow") },
      /a\.shadow\.yaml:2:1: a file named PROFILE\.shadow\.yaml needs mode: shadow/,
    ],
    [
      "with a profile that does not act",
      { "a.yaml": text("allow", "shadow") },
      /a\.yaml:2:1: a policy in mode shadow stands beside an enforced one/,
    ],
  ])("%s is refused", (_name, files, message) => {
    for (const [name, content] of Object.entries(files)) write(name, content);
    expect(() => loadPolicyProfiles(folder)).toThrow(message);
  });
});

interface Told {
  readonly catalog: ToolCatalog;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly lines: string[];
}

function teller(): Told {
  const lines: string[] = [];
  return {
    catalog: BUILTIN_CATALOG,
    lines,
    log: {
      write: (level, event, { policy = "", detail = "" } = {}) =>
        void lines.push(`${level} ${event} ${policy}${detail.slice(0, 500)}`),
      decision: () => undefined,
    },
    metrics: {
      count: (name, labels) => void lines.push([name, ...Object.values(labels)].join(" ")),
      show: () => undefined,
      allow: () => undefined,
      observe: () => undefined,
      beforeScrape: () => undefined,
      text: () => Promise.resolve(""),
    },
  };
}

describe("policies that are served", () => {
  test("are read anew on SIGHUP, all at once, and told of with their digests", () => {
    write("a.yaml", text("allow"));
    const told = teller();
    const { policies, close } = servePolicies(folder, told);
    try {
      const before = policies.get("a")?.enforced.digest;
      write("a.yaml", text("forbid"));
      write("b.yaml", text("allow"));
      process.emit("SIGHUP");
      expect(policies.get("a")?.enforced.digest).not.toBe(before);
      expect([...policies.keys()]).toEqual(["a", "b"]);
      expect(told.lines).toEqual([
        "info policy_loaded a",
        "info policy_reloaded a",
        "info policy_reloaded b",
        "airlock_policy_reloads_total reloaded",
      ]);
    } finally {
      close();
    }
  });

  test.each<[string, string]>([
    ["empty", ""],
    ["broken", "rules: [\n"],
    ["wider than it may be", text("allow").replace("rules:", "defaults: { noMatch: allow }\nrules:")],
  ])("are kept, with an alarm, where one of the files became %s", (_name, content) => {
    write("a.yaml", text("forbid"));
    write("b.yaml", text("allow"));
    const told = teller();
    const { policies, close } = servePolicies(folder, told);
    try {
      const before = [policies.get("a"), policies.get("b")];
      write("a.yaml", text("allow"));
      write("b.yaml", content);
      process.emit("SIGHUP");
      expect([policies.get("a"), policies.get("b")]).toEqual(before);
      expect(told.lines.slice(2)).toEqual([
        "airlock_policy_reloads_total failed",
        expect.stringMatching(/^error policy_reload_failed .*b\.yaml:\d+:\d+: /),
      ]);
      write("b.yaml", text("flag"));
      process.emit("SIGHUP");
      expect(policies.get("b")?.enforced).not.toEqual(before[1]?.enforced);
    } finally {
      close();
    }
  });

  test("say at the start which rules can decide nothing", () => {
    write("a.yaml", text("allow").replace("}]", "}, { id: no, decision: forbid, tool: read_file }]"));
    const told = teller();
    servePolicies(folder, told).close();
    expect(told.lines).toEqual([
      "info policy_loaded a",
      expect.stringMatching(/^warn policy_rule_unreachable a.*a\.yaml:4:\d+: rule "read" can decide nothing/),
    ]);
  });
});
