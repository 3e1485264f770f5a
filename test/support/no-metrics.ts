import type { Metrics } from "@airlock/core/runtime";

/** Metrics that nobody scrapes; `count` is told of what is counted. */
export function noMetrics(count: Metrics["count"] = () => undefined): Metrics {
  return {
    count,
    show: () => undefined,
    observe: () => undefined,
    allow: () => undefined,
    beforeScrape: () => undefined,
    text: () => Promise.resolve(""),
  };
}
