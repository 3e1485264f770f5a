import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { createMetrics, METRICS, SERVICES, type Metric } from "@airlock/core/runtime";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { readText, ROOT } from "../architecture/source-tree.ts";
import { ALERT_CASES } from "../support/alert-cases.ts";

const RULES = path.join(ROOT, "deploy/prometheus/alerts.yml");
const run = promisify(execFile);

const ruleSchema = z.strictObject({
  alert: z.string(),
  expr: z.string(),
  for: z.string(),
  labels: z.strictObject({ severity: z.enum(["warning", "critical"]) }),
  annotations: z.strictObject({ summary: z.string() }),
});
const rules = z
  .strictObject({ groups: z.array(z.strictObject({ name: z.string(), rules: z.array(ruleSchema) })) })
  .parse(parse(readText("deploy/prometheus/alerts.yml")))
  .groups.flatMap((group) => group.rules);

const panelSchema = z.object({
  title: z.string(),
  targets: z.array(z.object({ expr: z.string() })).optional(),
});
const panels = z
  .object({ panels: z.array(panelSchema) })
  .parse(JSON.parse(readText("deploy/grafana/airlock.json")))
  .panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => ({ title, expr })));

const TABLE: Readonly<Record<string, Metric>> = METRICS;

/** All names that a service tells, with the parts of histograms. */
async function toldNames(): Promise<ReadonlySet<string>> {
  const names = new Set(["up"]);
  for (const service of SERVICES) {
    const text = await createMetrics(service).text();
    for (const [, name = "", kind] of text.matchAll(/^# TYPE (\w+) (\w+)$/gm)) {
      const parts = kind === "histogram" ? ["_bucket", "_sum", "_count"] : [""];
      for (const part of parts) names.add(`${name}${part}`);
    }
  }
  return names;
}

function namesIn(expr: string): readonly string[] {
  return expr.match(/\b(?:up|(?:airlock|nodejs|process)_\w+)\b/g) ?? [];
}

const expressions = [...rules.map(({ alert, expr }) => ({ title: alert, expr })), ...panels];

describe("alerts and dashboard", () => {
  test("use only metrics and labels that the table has", async () => {
    const told = await toldNames();
    expect(expressions.length).toBeGreaterThan(50);
    const unknown = expressions.flatMap(({ title, expr }) => {
      const names = namesIn(expr);
      const labels = new Set(["service", "le", "job"]);
      for (const name of names) {
        const own = TABLE[name.replace(/_(?:bucket|sum|count)$/, "")] ?? TABLE[name];
        for (const label of Object.keys(own?.labels ?? {})) labels.add(label);
      }
      const used = [
        ...expr.matchAll(/\b(?:by|without|on) \(([^)]*)\)/g),
        ...expr.matchAll(/\{([^}]*)\}/g),
      ].flatMap(([, list = ""]) => list.split(",").map((part) => part.trim().split(/[=!~]/)[0] ?? ""));
      const strange = used.filter((label) => label !== "" && !labels.has(label));
      const missing = names.length === 0 ? ["no metric at all"] : names.filter((name) => !told.has(name));
      return [...missing, ...strange].map((each) => `${title}: ${each}`);
    });
    expect(unknown).toEqual([]);
  });

  test("use values of labels that the code can tell", () => {
    const unknown = expressions.flatMap(({ title, expr }) =>
      [...expr.matchAll(/\b(airlock_\w+)\{([^}]*)\}/g)].flatMap(([, name = "", matchers = ""]) =>
        [...matchers.matchAll(/(\w+)(?:=|!=|=~|!~)"([^"]*)"/g)].flatMap(([, label = "", values = ""]) => {
          const list = TABLE[name]?.labels[label];
          if (list === undefined || typeof list === "string") return [];
          return values
            .split("|")
            .flatMap((value) => (list.includes(value) ? [] : [`${title}: ${label}=${value}`]));
        }),
      ),
    );
    expect(unknown).toEqual([]);
  });

  test("never sum what every replica tells alike", () => {
    const whole = Object.keys(TABLE).filter((name) => TABLE[name]?.whole === true);
    const wrong = expressions.filter(({ expr }) => {
      const names = namesIn(expr).filter((name) => whole.includes(name));
      const greatest = expr.match(/\b(?:max(?: by \([^)]*\))? ?|absent)\((airlock_\w+)/g) ?? [];
      return names.length > greatest.filter((each) => whole.includes(each.split("(").at(-1) ?? "")).length;
    });
    expect(wrong).toEqual([]);
  });

  test("show every metric of Airlock's own in some panel", () => {
    const shown = new Set(panels.flatMap(({ expr }) => namesIn(expr)));
    const names = Object.keys(TABLE).filter((name) => !shown.has(name) && !shown.has(`${name}_bucket`));
    expect(names).toEqual([]);
  });

  test("name in each summary a runbook that there is", () => {
    const headings = [...readText("docs/runbooks.md").matchAll(/^## (.*)$/gm)].map(([, heading = ""]) =>
      heading.toLowerCase().replaceAll(" ", "-"),
    );
    const named = rules.map(
      ({ annotations }) => /\(docs\/runbooks\.md#([a-z-]+)\)$/.exec(annotations.summary)?.[1],
    );
    expect(named.filter((name) => name === undefined || !headings.includes(name))).toEqual([]);
    expect(headings.filter((heading) => !named.includes(heading))).toEqual([]);
    const runbooks = readText("docs/runbooks.md");
    expect(rules.filter(({ alert }) => !runbooks.includes(`\`${alert}\``))).toEqual([]);
  });
});

describe("the alert rules, by promtool", () => {
  test("are accepted", async () => {
    const { stdout } = await run("promtool", ["check", "rules", RULES]);
    expect(stdout).toContain(`${rules.length} rules found`);
  });

  test("fire when they should, and keep silent when they should not", async () => {
    expect(Object.keys(ALERT_CASES).toSorted()).toEqual(rules.map(({ alert }) => alert).toSorted());
    const folder = await mkdtemp(path.join(tmpdir(), "airlock-alerts-"));
    try {
      const file = path.join(folder, "alerts.test.json");
      await writeFile(
        file,
        JSON.stringify({ rule_files: [RULES], evaluation_interval: "1m", tests: tests() }),
      );
      const told = await run("promtool", ["test", "rules", file]).catch((error: unknown) => error);
      expect(told).toMatchObject({ stdout: expect.stringContaining("SUCCESS") });
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

function tests(): readonly unknown[] {
  return rules.flatMap(({ alert, labels, annotations }) => {
    const { fires, silent, labels: own = {} } = ALERT_CASES[alert] ?? { fires: {}, silent: {} };
    const summary = annotations.summary.replaceAll(
      /\{\{ \$labels\.(\w+) \}\}/g,
      (_, label: string) => own[label] ?? "",
    );
    const fired = { exp_labels: { ...labels, ...own }, exp_annotations: { summary } };
    return [
      oneTest(alert, fires, [fired]),
      // nobody tells a figure that the alert misses: the alert on a missing figure has its own case
      oneTest(alert, silent, []),
    ];
  });
}

function oneTest(
  alertname: string,
  series: Readonly<Record<string, string>>,
  exp_alerts: readonly unknown[],
) {
  const input_series = Object.entries(series).map(([name, values]) => ({ series: name, values }));
  return { interval: "1m", input_series, alert_rule_test: [{ eval_time: "1h", alertname, exp_alerts }] };
}
