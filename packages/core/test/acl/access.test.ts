import { describe, expect, test } from "vitest";
import {
  GLOBAL_KEY_ACCESS,
  KEY_FAMILIES,
  loose,
  QUEUE_ACCESS,
  REDIS_USERS,
  RUN_KEY_ACCESS,
  selectorsOf,
  type KeyAccess,
  type RedisUser,
} from "@airlock/core/acl";
import { globalKeys, runKeys } from "@airlock/core/store";
import { producersOf, QUEUES, type QueueFamily } from "@airlock/core/queue";
import { namesOf } from "@airlock/core/fault";

/** The design's section 2 and 5: who writes what. `submitter` is the console, or the CLI in its place. */
const DESIGN: Readonly<Record<string, readonly string[]>> = {
  streamer: "attempt raw item content limit".split(" "),
  validator: (
    "run partial turn call arguments conversation actions events open control runs quarantine audit decisions poolRuns approvals feed " +
    "kill sweeper breaker report"
  ).split(" "),
  executor: "ledger result preview workspace diff unknown frozen pools pool poolLogs unknowns effect".split(
    " ",
  ),
  "console, client": ["spec", "approval"],
  console:
    "consoleSession consoleLogins consoleRate consoleSubmitter consoleIdempotency consoleFeed consoleWarned consoleAudit".split(
      " ",
    ),
};

const TABLE: Readonly<Record<string, KeyAccess>> = { ...RUN_KEY_ACCESS, ...GLOBAL_KEY_ACCESS };

describe("who writes which keys", () => {
  test("covers every key that the code can name", () => {
    expect(Object.keys(TABLE).toSorted()).toEqual(
      [...Object.keys(runKeys("r")), ...Object.keys(globalKeys)].toSorted(),
    );
  });

  const rows = Object.entries(DESIGN).flatMap(([writer, names]) => names.map((name) => `${name}: ${writer}`));
  test("has one writer for each, as the design says, or a console and the CLI in its place", () => {
    const found = Object.entries(TABLE).map(([name, { writes }]) => `${name}: ${writes.join(", ")}`);
    expect(found.toSorted()).toEqual(rows.toSorted());
  });

  test("lets others append to the conversation and the events alone", () => {
    const appended = Object.entries(TABLE).flatMap(([name, { appends }]) =>
      appends === undefined ? [] : [[name, appends]],
    );
    expect(appended).toEqual([
      ["conversation", ["streamer"]],
      ["events", ["streamer", "executor", "console", "client"]],
    ]);
  });

  test("is what the rules say: each pattern can be written by those users, and by nobody else", () => {
    for (const { name, patterns, writes, appends = [] } of KEY_FAMILIES) {
      const writers = [...writes, ...appends].toSorted();
      for (const pattern of patterns) expect([name, writersOf(pattern)]).toEqual([name, writers]);
    }
  });

  test("gives the validator the lifetime of a run's keys, and nothing else of those of others", () => {
    const foreign = KEY_FAMILIES.filter(
      ({ ofRun, writes }) => ofRun && !writes.some((user) => user === "validator"),
    );
    for (const { patterns } of foreign) {
      const commands = selectorsOf("validator")
        .filter(({ keys }) => keys.some((key) => isWritten(key) && patterns.includes(bare(key))))
        .map((selector) => selector.commands);
      expect(commands).toEqual([["persist", "pexpireat"]]);
    }
  });
});

/** Who may change the content of such keys: scripts are checked command by command, lifetimes are no content. */
function writersOf(pattern: string): readonly RedisUser[] {
  return REDIS_USERS.filter((user) =>
    selectorsOf(user).some(
      ({ commands, keys }) =>
        !commands.includes("eval") &&
        !(commands.includes("persist") && commands.length === 2) &&
        keys.some((key) => isWritten(key) && bare(key) === pattern),
    ),
  ).toSorted();
}

function isWritten(key: string): boolean {
  return !key.startsWith("%R~");
}

function bare(key: string): string {
  return key.replace(/^(%[RW])?~/, "");
}

/** Redis' patterns as far as we use them: `*` alone. */
function matches(pattern: string, key: string): boolean {
  const parts = pattern.split("*").map((part) => part.replaceAll(/[.{}()|[\]\\^$+?]/g, String.raw`\$&`));
  return new RegExp(`^${parts.join(".*")}$`).test(key);
}

describe("patterns", () => {
  test("of different families share no key that the code makes", () => {
    const item = "r.1.1.0";
    const samples = KEY_FAMILIES.map(({ name, patterns }) => ({
      name,
      keys: patterns.map((pattern) => pattern.replace("{*}", "{r}").replaceAll("*", item)),
    }));
    for (const { name, keys } of samples) {
      for (const key of keys) {
        const owners = KEY_FAMILIES.filter(({ patterns }) =>
          patterns.some((pattern) => matches(pattern, key)),
        );
        expect([key, owners.map((owner) => owner.name)]).toEqual([key, [name]]);
        expect(QUEUE_ACCESS.filter(({ pattern }) => matches(pattern, key))).toEqual([]);
      }
    }
  });

  test("of queues are those of the queues, and share none either", () => {
    for (const { name, pattern } of QUEUE_ACCESS) {
      const key = pattern.replaceAll("*", "x");
      expect(QUEUE_ACCESS.filter((other) => matches(other.pattern, key)).map((other) => other.name)).toEqual([
        name,
      ]);
    }
  });
});

describe("who uses which queue", () => {
  test.each(namesOf(QUEUES))(
    "%s: its consumer, and those whose signature its records need",
    (family: QueueFamily) => {
      const rights = QUEUE_ACCESS.find(({ name }) => name === family)?.rights;
      const having = (right: string): readonly string[] =>
        REDIS_USERS.filter((user) => rights?.[user].some((each) => each === right)).toSorted();
      expect(having("consume")).toEqual([QUEUES[family].consumer]);
      expect(having("produce")).toEqual([...producersOf(family)].toSorted());
      expect(having("act")).toEqual(family === "approvals" ? ["client", "console"] : []);
    },
  );
});

describe("commands that concern no key", () => {
  const DANGEROUS = [
    "flushall",
    "flushdb",
    "keys",
    "config|set",
    "acl",
    "monitor",
    "script",
    "debug",
    "shutdown",
  ];
  test.each(REDIS_USERS)("of %s are none that an administrator needs", (user) => {
    const all = [...loose(user, true), ...selectorsOf(user).flatMap(({ commands }) => commands)];
    expect(
      all.filter((command) => DANGEROUS.some((bad) => command === bad || command.startsWith(`${bad}|`))),
    ).toEqual([]);
    expect(all.filter((command) => command.startsWith("@") || command === "config")).toEqual([]);
  });

  test("name WAITAOF only where Redis knows it", () => {
    expect(loose("executor", true)).toContain("waitaof");
    expect(loose("executor", false)).not.toContain("waitaof");
  });
});
