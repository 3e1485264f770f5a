import type { Deps } from "../deps.ts";

/** What people asked to hear of goes to their webhooks, until `signal` is aborted. */
export async function startNotifier(_deps: Deps, _signal: AbortSignal): Promise<void> {}
