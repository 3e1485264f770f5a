import { Queue } from "bullmq";
import type { ResponseBody } from "@airlock/core/contract";
import { createPublisher, parkedJobs, queuePrefix, type Publisher } from "@airlock/core/queue";
import { createKeyrings, newRunId, type Keyring, type Role } from "@airlock/core/record";
import {
  beatPool,
  createValidatorStore,
  parseRoutes,
  parseRunSpec,
  writeSpec,
  type RouteBreaker,
} from "@airlock/core/run";
import { loadPolicyProfiles, type PolicyProfile } from "@airlock/core/runtime";
import type { Redis } from "@airlock/core/store";
import { BUILTIN_MANIFESTS, createCatalog } from "@airlock/core/tool";
import { createJudge } from "@airlock/core/verdict";
import { ADAPTERS, type Family } from "@airlock/core/wire";
import { onCommand } from "../../services/validator/src/admission/on-command.ts";
import type { Deps } from "../../services/validator/src/deps.ts";
import { onResponse } from "../../services/validator/src/outcome/on-response.ts";
import { ROOT } from "./cell.ts";
import { noMetrics } from "./no-metrics.ts";

/** The validator's handlers on a real Redis, without their consumers: every step is the test's own. */
export interface TestValidator {
  readonly deps: Deps;
  readonly keyrings: Readonly<Record<Role, Keyring>>;
  readonly turns: Queue;
  /** the profiles that runs may name */
  readonly policies: Map<string, PolicyProfile>;
  /** log events, and counters with their labels, as they come */
  readonly logged: string[];
  readonly counted: string[];
  /** Submits a run and returns its id. */
  submit(spec?: Readonly<Record<string, unknown>>): Promise<string>;
  /** Hands the validator the record of how a response ended: the first attempt of the first turn, if not said otherwise. */
  respond(response: Partial<ResponseBody> & Pick<ResponseBody, "run" | "outcome">): Promise<void>;
  close(): Promise<void>;
}

const never = new AbortController().signal;
const CONFIG: Deps["config"] = {
  routes: "",
  policies: "",
  approvers: "",
  tools: "",
  sources: ["/srv/app"],
  pools: [],
  poolLostMs: 60_000,
  sweepMs: 100,
  openMs: 10_000,
  grantMs: 60_000,
  decisionMs: 60_000,
  approvalMs: 1_000,
  retryMs: 1,
  breakerMismatches: 3,
  breakerWindowMs: 60_000,
  breakerOpenMs: 60_000,
  rawMs: 60_000,
  runMs: 600_000,
  metricsRedisUrl: "",
  correlationKey: "",
};

export function createTestValidator(
  redis: Redis,
  route: { readonly name: string; readonly family: Family },
  breaker: RouteBreaker,
  change: Partial<Deps["config"]> = {},
): TestValidator {
  const keyrings = createKeyrings();
  const publishers = {
    client: createPublisher({ redis, keyring: keyrings.client }),
    streamer: createPublisher({ redis, keyring: keyrings.streamer }),
    validator: createPublisher({ redis, keyring: keyrings.validator }),
  };
  const catalog = createCatalog(BUILTIN_MANIFESTS);
  const logged: string[] = [];
  const counted: string[] = [];
  const asks = parkedJobs(redis, "approvals");
  const policies = new Map(loadPolicyProfiles(`${ROOT}/config/policies`));
  const deps: Deps = {
    config: { ...CONFIG, ...change },
    redis,
    keyring: keyrings.validator,
    store: createValidatorStore(redis, { keepMs: 600_000 }),
    publisher: publishers.validator,
    asks,
    routes: parseRoutes(
      `routes: { ${route.name}: { family: ${route.family}, baseUrl: 'http://127.0.0.1:1', models: ['**'] } }`,
      "routes.yaml",
    ),
    breaker,
    policies,
    catalog,
    judge: createJudge(catalog),
    correlationKey: null,
    keepDecision: () => undefined,
    log: {
      write: (_, event) => void logged.push(event),
      decision: ({ decision }) => void logged.push(`${decision}`),
    },
    metrics: noMetrics((name, labels) => void counted.push([name, ...Object.values(labels)].join(" "))),
  };
  const turns = new Queue("turns", { connection: redis, prefix: queuePrefix("turns") });
  return {
    deps,
    keyrings,
    turns,
    policies,
    logged,
    counted,
    async submit(change = {}) {
      const run = newRunId();
      await beatPool(redis, "default", { id: "test", host: "test", draining: false });
      const least = { route: route.name, model: "m", instructions: "", input: "go", policy: "ci-default" };
      const spec = parseRunSpec({ ...least, ...change }, "test");
      const { specDigest } = await writeSpec({ redis, keyring: keyrings.client }, run, spec);
      const body = { version: 1, run, requestedBy: "t", kind: "submit", specDigest } as const;
      const record = publishers.client.sign({ purpose: "command", body });
      await onCommand(deps, { body, record, signal: never });
      return run;
    },
    async respond(change) {
      const body = { ...plainResponse(route.family), ...change };
      const record = publishers.streamer.sign({ purpose: "response", body });
      await onResponse(deps, { body, record, signal: never });
    },
    async close() {
      await turns.close();
      await asks.close();
      await Promise.all(Object.values(publishers).map((publisher: Publisher) => publisher.close()));
    },
  };
}

function plainResponse(family: Family): Omit<ResponseBody, "run" | "outcome"> {
  return {
    version: 1,
    turn: 1,
    attempt: 1,
    adapter: ADAPTERS[family].version,
    responseId: null,
    raw: null,
    errorClass: null,
    stopSequence: null,
    items: [],
    inputTokens: null,
    outputTokens: null,
    httpStatus: 200,
    errorCode: null,
    transport: { end: "clean", bytes: 0, messages: 0, unknownEvents: 0 },
    durationMs: 0,
    retryAfterMs: null,
  };
}
