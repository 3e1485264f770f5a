import { OPEN_LIST_NAMES, OTHER, type Metric, type OpenList } from "./metric-table.ts";

export type Labels = Readonly<Record<string, string>>;

/** Metrics with more combinations of labels begin with the first that is counted. */
const MOST_COMBINATIONS = 200;

/** What the labels of one process may say. */
export interface LabelLists {
  /** Whether a name was new. */
  allow(list: OpenList, names: Iterable<string>): boolean;
  /** The labels as they may be told: exactly those of the metric, and `other` for what no list has. */
  bounded(metric: Metric, labels: Labels): Record<string, string>;
  /** Every combination of a metric's labels; none where there are too many to tell them all. */
  combinations(metric: Metric): readonly Labels[];
}

export function createLabelLists(): LabelLists {
  const lists = new Map<OpenList, Set<string>>();
  const valuesOf = (values: readonly string[] | OpenList): readonly string[] =>
    typeof values === "string" ? [...(lists.get(values) ?? [])] : values;
  const has = (values: readonly string[] | OpenList, value: string): boolean =>
    typeof values === "string" ? lists.get(values)?.has(value) === true : values.includes(value);
  return {
    allow(list, names) {
      const known = lists.get(list) ?? new Set();
      lists.set(list, known);
      const before = known.size;
      for (const name of names) if (known.size < OPEN_LIST_NAMES) known.add(name);
      return known.size > before;
    },
    bounded: (metric, labels) =>
      Object.fromEntries(
        Object.entries(metric.labels).map(([label, values]) => {
          const given = labels[label] ?? "";
          return [label, has(values, given) ? given : OTHER];
        }),
      ),
    combinations(metric) {
      let all: readonly Labels[] = [{}];
      for (const [label, list] of Object.entries(metric.labels)) {
        const values = valuesOf(list);
        if (all.length * values.length > MOST_COMBINATIONS) return [];
        all = all.flatMap((each) => values.map((value) => ({ ...each, [label]: value })));
      }
      return all;
    },
  };
}
