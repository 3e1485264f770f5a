import { ITEM_STATES, TRANSITIONS } from "@airlock/core/call";
import { ERROR_CLASSES, ERRORS } from "@airlock/core/fault";
import { producersOf, QUEUES, type QueueFamily } from "@airlock/core/queue";
import { PURPOSES, ROLES, SEALS } from "@airlock/core/record";
import { RUN_STATES } from "@airlock/core/run";
import { METRICS, SERVICES, SETTINGS, type Metric } from "@airlock/core/runtime";
import { BUILTIN_MANIFESTS, toolFields } from "@airlock/core/tool";
import { ADAPTERS } from "@airlock/core/wire";
import { COMMANDS } from "../../packages/cli/src/command/commands.ts";
import { exitCodes } from "../../packages/cli/src/wait/index.ts";
import { GUARANTEES, REQUIRED_GUARANTEES } from "../../services/executor/src/sandbox/index.ts";
import { CONFORMANCE_TABLES } from "./conformance.ts";
import type { Table } from "./markdown.ts";
import { POLICY_KEYS } from "./policy-keys.ts";
import { REDIS_USER_TABLES } from "./redis-users.ts";
import { REPOSITORY_KEYS } from "./repository-keys.ts";

/** Every table of the documents that repeats one of the code. */
export const TABLES = {
  ...CONFORMANCE_TABLES,
  ...REDIS_USER_TABLES,
  "policy-keys": POLICY_KEYS,
  "repository-keys": REPOSITORY_KEYS,
  settings: {
    head: ["variable", "read by", "default", "meaning"],
    rows: Object.values(SETTINGS).map(({ env, readers, fallback, doc }) => [
      code(env),
      readers.join(", "),
      fallback === null ? "(required)" : fallback === "" ? "(empty)" : code(fallback),
      doc,
    ]),
  },
  commands: {
    head: ["command", "what it does"],
    rows: Object.entries(COMMANDS).map(([name, { positional, summary }]) => [
      code(["airlock", name, ...words(positional)].join(" ")),
      summary,
    ]),
  },
  "exit-codes": {
    head: ["code", "name", "meaning"],
    rows: exitCodes().map(({ exitCode, name, meaning }) => [String(exitCode), code(name), meaning]),
  },
  families: {
    head: ["family", "adapter", "path"],
    rows: Object.values(ADAPTERS).map((adapter) => [
      code(adapter.family),
      code(adapter.version),
      code(adapter.path("MODEL")),
    ]),
  },
  tools: {
    head: ["tool", "effect", "time limit", "output limit", "what it is for"],
    rows: BUILTIN_MANIFESTS.map(({ name, effect, limits, description }) => [
      code(name),
      effect,
      `${limits.timeoutMs / 1_000} s`,
      `${limits.outputBytes / 1_024} KiB`,
      description.split(/(?<=\.) /)[0] ?? "",
    ]),
  },
  "tool-fields": {
    head: ["key", "takes", "default", "meaning"],
    rows: toolFields().map(({ name, takes, required, fallback, meaning }) => [
      code(name),
      takes,
      required ? "(required)" : fallback === null ? "" : code(fallback),
      meaning,
    ]),
  },
  "run-states": {
    head: ["state", "final", "exit code of `run --wait`", "meaning"],
    rows: Object.entries(RUN_STATES).map(([state, { final, exitCode, meaning }]) => [
      code(state),
      yes(final),
      exitCode === null ? "" : String(exitCode),
      meaning,
    ]),
  },
  "item-states": {
    head: ["state", "final"],
    rows: Object.entries(ITEM_STATES).map(([state, { final }]) => [code(state), yes(final)]),
  },
  transitions: {
    head: ["transition", "from", "to"],
    rows: Object.entries(TRANSITIONS).map(([name, { from, to }]) => [
      code(name),
      from.map(code).join(", "),
      code(to),
    ]),
  },
  queues: {
    head: ["queue", "records", "added by", "consumed by"],
    rows: queueNames().map((family) => [
      code(family === "executions" ? "executions.<pool>" : family),
      QUEUES[family].purposes.map(code).join(", "),
      producersOf(family).join(", "),
      QUEUES[family].consumer,
    ]),
  },
  records: {
    head: ["record", "signed by"],
    rows: Object.entries(PURPOSES).map(([purpose, roles]) => [code(purpose), roles.join(" or ")]),
  },
  seals: {
    head: ["sealing key", ...ROLES],
    rows: Object.entries(SEALS).map(([name, holders]) => {
      const held: readonly string[] = holders;
      return [code(name), ...ROLES.map((role) => yes(held.includes(role)))];
    }),
  },
  errors: {
    head: ["code", "retry", "message"],
    rows: Object.entries(ERRORS).map(([name, { retry, message }]) => [code(name), retry, message]),
  },
  "error-classes": {
    head: ["class", "stage", "meaning"],
    rows: Object.entries(ERROR_CLASSES).map(([name, { stage, meaning }]) => [code(name), stage, meaning]),
  },
  metrics: {
    head: ["metric", "kind", "labels", "served by", "what it tells"],
    rows: metricRows((metric) => metric.whole !== true),
  },
  "installation-metrics": {
    head: ["metric", "kind", "labels", "served by", "what it tells"],
    rows: metricRows((metric) => metric.whole === true),
  },
  guarantees: {
    head: ["guarantee", "needed by commands", "meaning"],
    rows: Object.entries(GUARANTEES).map(([name, meaning]) => {
      const needed: readonly string[] = REQUIRED_GUARANTEES.command;
      return [code(name), yes(needed.includes(name)), meaning];
    }),
  },
} as const satisfies Record<string, Table>;

function metricRows(shown: (metric: Metric) => boolean): readonly (readonly string[])[] {
  return Object.entries<Metric>(METRICS)
    .filter(([, metric]) => shown(metric))
    .map(([name, { kind, labels, servedBy, help }]) => [
      code(name),
      kind,
      Object.keys(labels).map(code).join(", "),
      servedBy.length === SERVICES.length ? "all" : servedBy.join(", "),
      help,
    ]);
}

function queueNames(): readonly QueueFamily[] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the table is a literal
  return Object.keys(QUEUES) as QueueFamily[];
}

function words(positional: { readonly name: string; readonly required: boolean } | null): readonly string[] {
  if (positional === null) return [];
  return [positional.required ? positional.name : `[${positional.name}]`];
}

function code(text: string): string {
  return `\`${text}\``;
}

function yes(holds: boolean): string {
  return holds ? "yes" : "";
}
