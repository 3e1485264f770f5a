import { deliver } from "./deliver.ts";
import { PACE, type NotifyDeps, type Pace } from "./deps.ts";
import { followFeed } from "./follow-feed.ts";

export { loadWebhooks } from "./webhooks.ts";

/** What people asked to hear of goes to their webhooks, until `signal` is aborted. */
export async function startNotifier(deps: NotifyDeps, signal: AbortSignal, pace: Pace = PACE): Promise<void> {
  if (deps.webhooks.length === 0) return;
  deps.metrics.allow(
    "webhook",
    deps.webhooks.map(({ name }) => name),
  );
  const delivering = deliver(deps, pace);
  await followFeed(deps, signal, pace);
  await delivering.close();
}
