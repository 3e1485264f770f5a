/** Prints how many decisions one core gives in a second: strict JSON, the tool's schema, and a policy of 200 rules. */
import { availableParallelism, loadavg } from "node:os";
import { parseArgs } from "node:util";
import { evaluatePolicy, type Policy } from "@airlock/core/policy";
import { BUILTIN_MANIFESTS, createCatalog, resourceClaims } from "@airlock/core/tool";
import { createJudge } from "@airlock/core/verdict";
import { benchCalls, benchPolicy, type BenchCall } from "./policy-calls.ts";
import { median } from "./throughput.ts";

const GOAL = 10_000;
const { values } = parseArgs({
  options: {
    rules: { type: "string", default: "200" },
    calls: { type: "string", default: "4000" },
    rounds: { type: "string", default: "15" },
  },
});

const catalog = createCatalog(BUILTIN_MANIFESTS);
const judge = createJudge(catalog);
const allowedTools = new Set(catalog.names());

/** What the validator does with a call between its record and its decision, without signatures and Redis. */
function decide(policy: Policy, { tool, content }: BenchCall): string {
  const manifest = catalog.get(tool);
  const verdict = judge.judge({ name: tool, argumentsKind: "json", content, allowedTools });
  if (manifest === undefined || verdict.status === "QUARANTINED") throw new Error("a call is not valid");
  const claims = resourceClaims(manifest, verdict.arguments);
  const { effect } = manifest;
  return evaluatePolicy(policy, { tool, effect, arguments: verdict.arguments, claims, place: null }).decision;
}

function measure(
  policy: Policy,
  calls: readonly BenchCall[],
): { readonly perSecond: number; readonly decisions: string } {
  const counts = new Map<string, number>();
  const started = process.cpuUsage();
  for (const call of calls) {
    const decision = decide(policy, call);
    counts.set(decision, (counts.get(decision) ?? 0) + 1);
  }
  const { user, system } = process.cpuUsage(started);
  const seconds = (user + system) / 1_000_000;
  const decisions = [...counts].map(([name, count]) => `${count} ${name}`).join(", ");
  return { perSecond: calls.length / seconds, decisions };
}

const policy = benchPolicy(Number(values.rules));
const calls = benchCalls(Number(values.calls));
const kinds = [
  ["all", calls],
  ["commands", calls.filter(({ tool }) => tool === "run_command")],
  ["files", calls.filter(({ tool }) => tool !== "run_command")],
] as const;
const bytes = calls.reduce((sum, { content }) => sum + content.length, 0) / calls.length;
process.stdout.write(
  `Node ${process.version}, ${availableParallelism()} cores, load ${loadavg()[0]?.toFixed(1)}; ${values.rules} rules, ${bytes.toFixed(0)} bytes of arguments\n`,
);
for (const [name, some] of kinds) {
  measure(policy, some);
  const rounds = Array.from({ length: Number(values.rounds) }, () => measure(policy, some));
  const rates = rounds.map(({ perSecond }) => perSecond);
  const told = [median(rates), Math.max(...rates)].map((rate) => Math.round(rate).toLocaleString("en"));
  const goal = name === "all" ? ` (goal: ${GOAL.toLocaleString("en")})` : "";
  process.stdout.write(
    `${name.padEnd(9)} ${told[0]} decisions a second, best round ${told[1]}${goal}; ${rounds[0]?.decisions}\n`,
  );
}
