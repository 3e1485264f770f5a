/** In comes a number of rules, out come a policy of that size and calls with 1 KB of arguments, half of them commands. */
import { loadPolicy, type Policy } from "@airlock/core/policy";

export interface BenchCall {
  readonly tool: string;
  /** JSON text, as a model writes it */
  readonly content: string;
}

const ARGUMENT_BYTES = 1_024;
const FOLDERS = ["src", "lib", "test", "docs", "packages/api/src", "packages/web/src"];
const SUBCOMMANDS = ["status", "log", "diff", "show", "blame", "shortlog"];

/** A tenth stops calls, every tenth asks for an approval, half of all are about commands. */
export function benchPolicy(rules: number): Policy {
  const head = {
    apiVersion: "airlock.policy/v1",
    mode: "enforce",
    paths: {
      read: { allow: ["**"], forbid: ["**/.git", "**/.env*", "**/*.pem", "**/*.key", "**/.npmrc"] },
      write: {
        allow: ["{src,lib,test,docs}/**", "packages/*/{src,test}/**"],
        forbid: ["**/.git", "**/.github", "**/.husky", "**/*.config.*", "**/package.json", "**/node_modules"],
      },
    },
  };
  const text = JSON.stringify({ ...head, rules: Array.from({ length: rules }, (_, at) => rule(at)) });
  return loadPolicy({ name: "bench.yaml", text });
}

function rule(at: number): object {
  return { id: `rule-${at}`, ...(at % 2 === 0 ? commandRule(at / 2) : pathRule((at - 1) / 2)) };
}

function commandRule(at: number): object {
  const tool = "run_command";
  if (at === 0) {
    const flags = { allow: ["--stat", "--oneline"] };
    return { decision: "allow", tool, command: { exe: "git", sub: SUBCOMMANDS.slice(0, 3), flags } };
  }
  if (at === 1) {
    return { decision: "allow", tool, command: { exe: "node", flags: { require: ["--test"] } } };
  }
  const exe = `tool${at}`;
  if (at % 5 === 2)
    return { decision: "forbid", tool, command: { exe, flags: { forbid: ["--force", "-f"] } } };
  const flags = { allow: ["--verbose", "--output=", "-n"] };
  return {
    decision: "allow",
    tool,
    command: { exe, sub: ["check", "list"], flags, positionals: { max: 4 } },
  };
}

function pathRule(at: number): object {
  if (at === 0) return { decision: "allow", tool: "write_file" };
  if (at === 1) return { decision: "allow", tool: "read_file" };
  const folder = FOLDERS[at % FOLDERS.length];
  const tool = at % 3 === 0 ? "read_file" : "write_file";
  const decision = at % 5 === 2 ? "forbid" : "flag";
  return { decision, tool, args: { path: `${folder}/module${at}/[a-z]+[.]gen[.]js` } };
}

export function benchCalls(count: number): readonly BenchCall[] {
  return Array.from({ length: count }, (_, at) =>
    at % 2 === 0 ? commandCall(at / 2) : writeCall((at - 1) / 2),
  );
}

/** Half of the commands are forbidden: most of what a policy sees is not named by its first rule. */
function commandCall(at: number): BenchCall {
  const [head, name] = at % 2 === 0 ? [["git", "log", "--oneline"], "a"] : [["node", "--test"], "b"];
  const words: string[] = [];
  for (let bytes = 60; bytes < ARGUMENT_BYTES; bytes += 43) {
    words.push(`test/${name}${String(at % 1_000).padStart(4, "0")}/${"module".repeat(4)}-${words.length}.js`);
  }
  const argv = at % 4 === 3 ? ["unknown", ...words] : [...head, ...words];
  return { tool: "run_command", content: JSON.stringify({ argv }) };
}

function writeCall(at: number): BenchCall {
  const folder = FOLDERS[at % FOLDERS.length];
  const path = `${folder}/module${at % 100}/${at % 7 === 0 ? ".env" : "index.js"}`;
  const content = "export const sum = (a, b) => a + b;\n"
    .repeat(40)
    .slice(0, ARGUMENT_BYTES - path.length - 80);
  return { tool: "write_file", content: JSON.stringify({ path, content }) };
}
