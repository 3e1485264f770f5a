import { globalKeys, runKeys, type Redis } from "@airlock/core/store";
import { newest } from "./stream-watch.ts";

/**
 * Where a page hears that it is out of date, from what it has seen on. To be read before what the page shows: what happens
 * in between is then told once too often, and never not at all.
 */
export async function liveRun(redis: Redis, run: string): Promise<string> {
  return `/live/runs/${run}?after=${await newest(redis, runKeys(run).events)}`;
}

export async function liveCall(redis: Redis, itemKey: string): Promise<string> {
  const run = itemKey.split(".")[0] ?? "";
  return `/live/calls/${encodeURIComponent(itemKey)}?after=${await newest(redis, runKeys(run).events)}`;
}

export async function liveFeed(redis: Redis): Promise<string> {
  return `/live/feed?after=${await newest(redis, globalKeys.feed)}`;
}
