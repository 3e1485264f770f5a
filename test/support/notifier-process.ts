// A console's notifier alone, in a process that a test can kill: what it is given comes as JSON in its one argument.
import { createKeyrings } from "@airlock/core/record";
import { createLog, createMetrics } from "@airlock/core/runtime";
import { connectRedis } from "@airlock/core/store";
import { loadWebhooks, startNotifier } from "../../services/console/src/notify/index.ts";

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the test that starts this wrote it
const given = JSON.parse(process.argv[2] ?? "") as {
  readonly redis: string;
  readonly webhooks: string;
  readonly leaseMs: number;
};
const redis = connectRedis(given.redis, { name: "notifier", onState: () => undefined });
void startNotifier(
  {
    redis,
    access: { redis, keyring: createKeyrings().console },
    log: createLog({ service: "console", level: "error" }),
    metrics: createMetrics("console"),
    config: { webhookTimeoutMs: 2_000, webhookAttempts: 10, webhookRetryMs: 50, approvalWarnPart: 0.2 },
    webhooks: loadWebhooks(given.webhooks),
    origin: "http://127.0.0.1:8090",
  },
  new AbortController().signal,
  { tickMs: 20, leaseMs: given.leaseMs, expiringMs: 100, lockMs: 1_000 },
);
process.stdout.write("started\n");
