// Counts and figures in, the Prometheus text form out. A label value that stands in no closed list becomes `other`, so that no
// text of a model, a tool or a spec is ever a label; what a service doesn't serve, it doesn't tell.
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";
import { assertNever, namesOf } from "../fault/index.ts";
import { measureEventLoop } from "./event-loop.ts";
import { createLabelLists, type Labels } from "./label-lists.ts";
import { METRICS, type Metric, type MetricName, type OpenList } from "./metric-table.ts";
import type { ServiceName } from "./setting.ts";

type Of<Kind extends Metric["kind"]> = {
  [Name in MetricName]: (typeof METRICS)[Name]["kind"] extends Kind ? Name : never;
}[MetricName];
export type CounterName = Of<"counter">;
export type GaugeName = Of<"gauge">;
export type HistogramName = Of<"histogram">;

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
  const lists = createLabelLists();
  const readers: (() => Promise<void>)[] = [];
  const bounded = (name: MetricName, labels: Labels): Record<string, string> =>
    lists.bounded(table[name], labels);
  /** An increase is seen from 0 on only: what was never counted is told as 0, where that isn't too much. */
  const begin = (): void => {
    for (const [name, counter] of made) {
      if (counter instanceof Counter)
        for (const labels of lists.combinations(table[name])) counter.inc({ ...labels }, 0);
    }
  };
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
      if (lists.allow(list, names)) begin();
    },
    beforeScrape: (read) => void readers.push(read),
    async text() {
      await Promise.all(readers.map((read) => read()));
      return registry.metrics();
    },
  };
  metrics.beforeScrape(measureEventLoop(metrics));
  begin();
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
