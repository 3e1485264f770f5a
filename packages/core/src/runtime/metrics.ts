// Counts and figures in, the Prometheus text form out. A label value that stands in no closed list becomes `other`, so that no
// text of a model, a tool or a spec is ever a label; what a service doesn't serve, it doesn't tell.
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";
import { assertNever, namesOf } from "../fault/index.ts";
import { measureEventLoop } from "./event-loop.ts";
import {
  METRICS,
  OPEN_LIST_NAMES,
  OTHER,
  type Metric,
  type MetricName,
  type OpenList,
} from "./metric-table.ts";
import type { ServiceName } from "./setting.ts";

type Of<Kind extends Metric["kind"]> = {
  [Name in MetricName]: (typeof METRICS)[Name]["kind"] extends Kind ? Name : never;
}[MetricName];
export type CounterName = Of<"counter">;
export type GaugeName = Of<"gauge">;
export type HistogramName = Of<"histogram">;

export type Labels = Readonly<Record<string, string>>;
export interface Reading {
  readonly labels: Labels;
  readonly value: number;
}

export interface Metrics {
  count(name: CounterName, labels: Labels, by?: number): void;
  /** Everything that a gauge tells from now on; readings that are left out are gone. */
  show(name: GaugeName, readings: readonly Reading[]): void;
  observe(name: HistogramName, labels: Labels, value: number): void;
  /** Names that labels of this list may take from here on, besides those that they took before. */
  allow(list: OpenList, names: Iterable<string>): void;
  /** Runs before each answer to a scrape. */
  beforeScrape(read: () => Promise<void>): void;
  /** The Prometheus text form. */
  text(): Promise<string>;
}

type Made = Counter | Gauge | Histogram;

export function createMetrics(service: ServiceName): Metrics {
  const registry = new Registry();
  registry.setDefaultLabels({ service });
  collectDefaultMetrics({ register: registry });
  const table: Readonly<Record<MetricName, Metric>> = METRICS;
  const served = namesOf(METRICS).filter((name) => table[name].servedBy.includes(service));
  const made = new Map<MetricName, Made>(served.map((name) => [name, make(registry, name, table[name])]));
  const lists = new Map<OpenList, Set<string>>();
  const readers: (() => Promise<void>)[] = [];
  const bounded = (name: MetricName, labels: Labels): Record<string, string> =>
    Object.fromEntries(
      Object.entries(table[name].labels).map(([label, values]) => {
        const given = labels[label] ?? "";
        const known = typeof values === "string" ? lists.get(values)?.has(given) : values.includes(given);
        return [label, known === true ? given : OTHER];
      }),
    );
  const metrics: Metrics = {
    count(name, labels, by = 1) {
      const counter = made.get(name);
      if (counter instanceof Counter) counter.inc(bounded(name, labels), by);
    },
    show(name, readings) {
      const gauge = made.get(name);
      if (!(gauge instanceof Gauge)) return;
      clear(gauge, table[name]);
      for (const { labels, value } of readings) gauge.set(bounded(name, labels), value);
    },
    observe(name, labels, value) {
      const histogram = made.get(name);
      if (histogram instanceof Histogram) histogram.observe(bounded(name, labels), value);
    },
    allow(list, names) {
      const known = lists.get(list) ?? new Set();
      lists.set(list, known);
      for (const name of names) if (known.size < OPEN_LIST_NAMES) known.add(name);
    },
    beforeScrape: (read) => void readers.push(read),
    async text() {
      await Promise.all(readers.map((read) => read()));
      return registry.metrics();
    },
  };
  metrics.beforeScrape(measureEventLoop(metrics));
  return metrics;
}

function make(registry: Registry, name: MetricName, metric: Metric): Made {
  const { help, labels, kind, buckets } = metric;
  const config = { name, help, labelNames: Object.keys(labels), registers: [registry] };
  switch (kind) {
    case "counter":
      return new Counter(config);
    case "gauge": {
      const gauge = new Gauge(config);
      clear(gauge, metric);
      return gauge;
    }
    case "histogram":
      return new Histogram({ ...config, ...(buckets === undefined ? {} : { buckets: [...buckets] }) });
    default:
      return assertNever(kind);
  }
}

/** Without labels a gauge would tell 0 for what nobody has read. */
function clear(gauge: Gauge, { labels }: Metric): void {
  gauge.reset();
  if (Object.keys(labels).length === 0) gauge.remove();
}
