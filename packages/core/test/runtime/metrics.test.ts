import {
  createMetrics,
  METRICS,
  OPEN_LISTS,
  SERVICES,
  type Metric,
  type MetricName,
} from "@airlock/core/runtime";
import { describe, expect, test } from "vitest";

const HOSTILE = ['x",evil="1', "rm -rf /\n# HELP x", "../../etc/passwd", "gpt-9-canary", "__proto__", ""];
const TABLE: Readonly<Record<string, Metric>> = METRICS;

/** Tells a metric, whatever its kind, with the same text in every label. */
function tell(metrics: ReturnType<typeof createMetrics>, name: string, text: string): void {
  const { kind, labels: names = {} } = TABLE[name] ?? {};
  const labels = Object.fromEntries(Object.keys(names).map((label) => [label, text]));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each kind has its own names
  const each = name as never;
  if (kind === "counter") metrics.count(each, labels);
  if (kind === "histogram") metrics.observe(each, labels, 1);
  if (kind === "gauge") metrics.show(each, [{ labels, value: 1 }]);
}

function labelValues(text: string): ReadonlySet<string> {
  const lines = text.split("\n").filter((line) => line.startsWith("airlock_"));
  const pairs = lines.flatMap((line) => [...line.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)]);
  return new Set(pairs.flatMap(([, label, value]) => (label === "le" ? [] : [value ?? ""])));
}

describe("the labels of metrics", () => {
  test.each(SERVICES)("of %s hold no text that stands in no closed list", async (service) => {
    const metrics = createMetrics(service);
    for (const list of OPEN_LISTS) metrics.allow(list, ["known"]);
    for (const name of Object.keys(METRICS)) for (const text of HOSTILE) tell(metrics, name, text);
    const values = labelValues(await metrics.text());
    const closed = Object.values(TABLE).flatMap(({ labels }) =>
      Object.values(labels).flatMap((list) => (typeof list === "string" ? ["known"] : list)),
    );
    const may = new Set([...closed, "other", service]);
    expect([...values].filter((value) => !may.has(value))).toEqual([]);
    expect(values).toContain("other");
  });

  test("keep what stands in their lists, and of an open one no more than it takes", async () => {
    const metrics = createMetrics("validator");
    metrics.allow("route", ["cheap"]);
    metrics.count("airlock_outcomes_total", { route: "cheap", outcome: "truncated" });
    metrics.allow(
      "route",
      Array.from({ length: 2_000 }, (_, at) => `route-${at}`),
    );
    for (let at = 0; at < 2_000; at += 1)
      metrics.count("airlock_outcomes_total", { route: `route-${at}`, outcome: "truncated" });
    const lines = (await metrics.text())
      .split("\n")
      .filter((line) => line.startsWith("airlock_outcomes_total{") && !line.endsWith(" 0"));
    expect(lines).toContain(
      'airlock_outcomes_total{route="cheap",outcome="truncated",service="validator"} 1',
    );
    expect(lines).toContain(
      'airlock_outcomes_total{route="other",outcome="truncated",service="validator"} 1501',
    );
    expect(lines).toHaveLength(501);
  });

  test("of no metric are a tool's, a model's, a run's or an item's name", () => {
    const labels = Object.values(TABLE).flatMap((metric) => Object.keys(metric.labels));
    expect(labels.filter((label) => /tool|model|run|item|path|user/.test(label))).toEqual([]);
  });
});

test("counters are told as 0 before anything is counted, as far as there are not too many", async () => {
  const metrics = createMetrics("executor");
  const text = await metrics.text();
  expect(text).toContain('airlock_claims_refused_total{reason="key_reused",service="executor"} 0');
  expect(text).not.toContain("airlock_jobs_failed_total{");
  metrics.allow("queue", ["executions.blue"]);
  expect(await metrics.text()).toContain(
    'airlock_jobs_failed_total{queue="executions.blue",service="executor"} 0',
  );
});

test("a gauge tells what it was shown last, and nothing before it was shown anything", async () => {
  const metrics = createMetrics("validator");
  const lines = async (name: MetricName): Promise<readonly string[]> =>
    (await metrics.text()).split("\n").filter((line) => new RegExp(`^${name}[ {]`).test(line));
  expect(await lines("airlock_approvals_pending")).toEqual([]);
  metrics.show("airlock_approvals_pending", [{ labels: {}, value: 3 }]);
  expect(await lines("airlock_approvals_pending")).toEqual([
    'airlock_approvals_pending{service="validator"} 3',
  ]);
  metrics.show("airlock_approvals_pending", []);
  expect(await lines("airlock_approvals_pending")).toEqual([]);
});

test("figures of the whole installation are served by exactly one kind of service, and nothing else by its name alone", async () => {
  const whole = Object.entries(TABLE).filter(([, metric]) => metric.whole === true);
  expect(whole.length).toBeGreaterThan(5);
  expect([...new Set(whole.map(([, { servedBy }]) => servedBy.join(" ")))]).toEqual(["validator"]);
  for (const service of SERVICES) {
    const text = await createMetrics(service).text();
    const told = Object.keys(METRICS).filter((name) => text.includes(`# HELP ${name} `));
    const served = Object.keys(METRICS).filter((name) => TABLE[name]?.servedBy.includes(service));
    expect({ service, told }).toEqual({ service, told: served });
  }
});

test("the event loop's delay is told of every process", async () => {
  const metrics = createMetrics("console");
  await expect
    .poll(() => metrics.text(), { timeout: 20_000, interval: 50 })
    .toMatch(/airlock_event_loop_delay_seconds\{quantile="0.99",service="console"\} \d/);
});
