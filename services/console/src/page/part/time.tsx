/** @jsxRuntime automatic @jsxImportSource preact */
import type { VNode } from "preact";

const UNITS = [
  [86_400, "d"],
  [3_600, "h"],
  [60, "min"],
  [1, "s"],
] as const;

/** The two largest units: `2 h 5 min`. The page's script writes the same. */
export function span(milliseconds: number): string {
  let seconds = Math.max(0, Math.round(milliseconds / 1_000));
  const parts = UNITS.flatMap(([size, unit]) => {
    const count = Math.floor(seconds / size);
    seconds -= count * size;
    return count === 0 ? [] : [`${count} ${unit}`];
  });
  return parts.slice(0, 2).join(" ") || "0 s";
}

interface Moment {
  readonly at: string;
  /** the server's clock, in milliseconds */
  readonly now: number;
}

export function Ago({ at, now }: Moment): VNode {
  return (
    <time datetime={at} title={at} data-time="ago">
      {span(now - Date.parse(at))} ago
    </time>
  );
}

export function Left({ at, now }: Moment): VNode {
  const left = Date.parse(at) - now;
  return (
    <time datetime={at} title={at} data-time="left">
      {left <= 0 ? "over" : `${span(left)} left`}
    </time>
  );
}
