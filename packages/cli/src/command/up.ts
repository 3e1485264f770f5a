import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { namesOf } from "@airlock/core/fault";
import { countQueues, queueName, QUEUES } from "@airlock/core/queue";
import { globalKeys } from "@airlock/core/store";
import { SETTINGS } from "@airlock/core/runtime";
import { ADMIN, startLocal, type Local, type LocalEvent } from "../local/index.ts";
import { countsText, createLiveLine, partsText, type LiveLine } from "../view/index.ts";
import { DATA_FLAG, type Command, type CommandContext } from "./command.ts";
import { watchInterrupts } from "./interrupt.ts";
import { upOptions } from "./up-options.ts";
import { noteRemote } from "./with-session.ts";

const STATUS_MS = 1_000;
const WAIT_NEWS_MS = 5_000;
const KILLED = 130;

export const upCommand: Command = {
  summary: "starts everything on this machine: Redis, the services and, if asked, the replay gateway",
  details:
    "Redis is the one that REDIS_URL names, else a redis-server or valkey-server of the PATH with its data in the folder.\n" +
    "Ctrl-C drains and stops in order; a second one kills.",
  positional: null,
  flags: {
    data: DATA_FLAG,
    gateway: { value: "DIR", doc: "serve the recorded responses of this folder as route `gateway`" },
    port: { value: "N", doc: "the first of seven consecutive ports; without it, free ones" },
    source: {
      value: "SOURCE",
      doc: "folder or URL that runs may work on (AIRLOCK_SOURCES, else the current folder)",
      multiple: true,
    },
  },
  async run(call, context) {
    noteRemote(context);
    const interrupts = watchInterrupts();
    const line = createLiveLine(context.out);
    const local = await startLocal({
      ...upOptions(call, context),
      onEvent: (event) => line.news(newsOf(event)),
    });
    interrupts.second.addEventListener("abort", () => {
      line.news("killing what still runs");
      process.exit(KILLED);
    });
    try {
      await serve(local, { line, context, signal: interrupts.first });
    } catch (error) {
      if (!interrupts.first.aborted) throw error;
    } finally {
      line.status("");
      line.news("stopping: services, then the gateway, then Redis");
      await local.stop();
      line.news("stopped");
      interrupts.stop();
    }
    return 0;
  },
};

interface Serving {
  readonly line: LiveLine;
  readonly context: CommandContext;
  readonly signal: AbortSignal;
}

/** Ends when `signal` aborts; rejects when a process can't be kept running. */
async function serve(local: Local, { line, context, signal }: Serving): Promise<void> {
  const { out, environment } = context;
  const pool = environment[SETTINGS.pool.env] ?? SETTINGS.pool.fallback;
  let told = Date.now();
  await local.ready(signal, (parts) => {
    line.status(partsText(out, parts));
    if (out.terminal || Date.now() - told < WAIT_NEWS_MS) return;
    told = Date.now();
    line.news(partsText(out, parts));
  });
  line.news(`ready; data in ${local.paths.data}, Ctrl-C stops`);
  if (local.gatewayUrl !== null) line.news(`replay gateway at ${local.gatewayUrl}, as route \`gateway\``);
  line.news(consoleNews(local, context));
  let last = "";
  while (!signal.aborted) {
    local.failure.throwIfAborted();
    const parts = await local.status();
    const text = partsText(out, parts);
    if (text !== last && !out.terminal) line.news(text);
    last = text;
    const tick = sleep(STATUS_MS, undefined, { signal: AbortSignal.any([signal, local.failure]) }).catch(
      () => undefined,
    );
    // counts may have to wait for Redis, the next look at the processes must not
    if (out.terminal) line.status(`${text}  ${(await Promise.race([countsOf(local, pool), tick])) ?? ""}`);
    await tick;
  }
}

/** Names the file, and on a terminal the password besides: what is written to a log is not to open anything. */
function consoleNews({ consoleUrl, paths }: Local, { out, environment }: CommandContext): string {
  if (environment[SETTINGS.users.env] !== undefined) return `console at ${consoleUrl}`;
  const password = out.terminal ? ` ${readFileSync(paths.consolePassword, "utf8").trim()}` : "";
  return `console at ${consoleUrl}: sign in as ${ADMIN}, password${password} in ${paths.consolePassword}`;
}

const FAMILIES = namesOf(QUEUES);

/** Empty while Redis is away: the counts would wait for it. */
async function countsOf(local: Local, pool: string): Promise<string> {
  if (local.redis.status !== "ready") return "";
  const names = FAMILIES.map((family) => queueName(family, pool));
  const [queues, openTurns] = await Promise.all([
    countQueues(local.redis, names),
    local.redis.zcard(globalKeys.open),
  ]);
  return countsText({ queues, openTurns });
}

function newsOf(event: LocalEvent): string | null {
  switch (event.type) {
    case "started":
      return null;
    case "died":
      return `${event.name} died (${event.how}); it starts again in ${event.restartMs} ms`;
    case "gave_up":
      return null; // the error that ends the command tells it
    case "redis":
      return event.state === "down" ? "Redis does not answer; the services wait" : "Redis answers again";
  }
}
