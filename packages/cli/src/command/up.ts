import { realpathSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { AirlockError } from "@airlock/core/fault";
import { queueName, QUEUES, type QueueFamily } from "@airlock/core/queue";
import { countQueues, dataFolder } from "../client/index.ts";
import { cliConfig } from "../config.ts";
import { startLocal, type Local, type LocalOptions, type PartStatus } from "../local/index.ts";
import { countsText, cutLine, partsText, type Screen } from "../view/index.ts";
import { DATA_FLAG, type Command, type CommandCall, type CommandContext } from "./command.ts";
import { watchInterrupts } from "./interrupt.ts";

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
    port: { value: "N", doc: "the first of five consecutive ports; without it, free ones" },
    source: {
      value: "SOURCE",
      doc: "folder or URL that runs may work on (AIRLOCK_SOURCES, else the current folder)",
      multiple: true,
    },
  },
  async run(call, context) {
    const interrupts = watchInterrupts();
    const line = createLiveLine(context.out);
    const local = await startLocal({ ...upOptions(call, context), onEvent: (event) => line.news(newsOf(event)) });
    interrupts.second.addEventListener("abort", () => {
      local.kill();
      line.news("killed");
      process.exit(KILLED);
    });
    try {
      await serve(local, { line, out: context.out, signal: interrupts.first });
    } catch (error) {
      if (!interrupts.first.aborted) throw error;
    } finally {
      line.news("stopping: services, then the gateway, then Redis");
      await local.stop();
      line.news("stopped");
      interrupts.stop();
    }
    return 0;
  },
};

function upOptions(call: CommandCall, context: CommandContext): Omit<LocalOptions, "onEvent"> {
  const { environment, folder } = context;
  const config = cliConfig(environment);
  const gateway = call.text("gateway");
  return {
    data: dataFolder(folder, config, call.text("data")),
    gateway: gateway === undefined ? null : path.resolve(folder, gateway),
    port: portOf(call.text("port")),
    sources: sourcesOf(call, context),
    environment,
    folder,
  };
}

function portOf(text: string | undefined): number | null {
  if (text === undefined || text === "0") return null;
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_531) return port;
  throw new AirlockError("USAGE", `--port ${text}: it has to be a port number up to 65531`);
}

function sourcesOf(call: CommandCall, { environment, folder }: CommandContext): readonly string[] {
  const named = call.list("source");
  const listed = (environment["AIRLOCK_SOURCES"] ?? "").split(",").filter((entry) => entry.trim() !== "");
  const sources = named.length > 0 ? named : listed.length > 0 ? listed : ["."];
  return sources.map((source) => {
    if (source.includes(",")) throw new AirlockError("USAGE", `--source ${source}: a source can't hold a comma`);
    return /^[a-z][a-z0-9+.-]*:\/\//i.test(source) ? source : realSource(path.resolve(folder, source.trim()));
  });
}

function realSource(place: string): string {
  try {
    return realpathSync(place);
  } catch (cause) {
    throw new AirlockError("USAGE", `--source: there is nothing at ${place}`, { cause });
  }
}

interface Serving {
  readonly line: LiveLine;
  readonly out: Screen;
  readonly signal: AbortSignal;
}

/** Ends when `signal` aborts; rejects when a process can't be kept running. */
async function serve(local: Local, { line, out, signal }: Serving): Promise<void> {
  let told = Date.now();
  await local.ready(signal, (parts) => {
    line.status(partsText(out, parts));
    if (out.terminal || Date.now() - told < WAIT_NEWS_MS) return;
    told = Date.now();
    line.news(partsText(out, parts));
  });
  line.news(`ready; data in ${local.paths.data}, Ctrl-C stops`);
  if (local.gatewayUrl !== null) line.news(`replay gateway at ${local.gatewayUrl}, as route \`gateway\``);
  let last = "";
  while (!signal.aborted) {
    local.failure.throwIfAborted();
    const parts = await local.status();
    const text = partsText(out, parts);
    if (text !== last && !out.terminal) line.news(text);
    last = text;
    line.status(out.terminal ? `${text}  ${await countsOf(local, parts)}` : text);
    await sleep(STATUS_MS, undefined, { signal: AbortSignal.any([signal, local.failure]) }).catch(() => undefined);
  }
}

const FAMILIES = Object.keys(QUEUES) as QueueFamily[];

/** Empty while Redis is away: the counts would wait for it. */
async function countsOf(local: Local, parts: readonly PartStatus[]): Promise<string> {
  if (local.redis.status !== "ready" || parts.length === 0) return "";
  const names = FAMILIES.map((family) => queueName(family, "default"));
  return countsText(await countQueues(local.redis, names));
}

function newsOf(event: Parameters<LocalOptions["onEvent"]>[0]): string | null {
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

interface LiveLine {
  /** A line that stays. */
  news(text: string | null): void;
  /** The last line of a terminal; elsewhere it isn't shown. */
  status(text: string): void;
}

function createLiveLine(out: Screen): LiveLine {
  let shown = "";
  const redraw = (above: string | null): void => {
    if (out.terminal) out.write("\r\u001b[2K");
    if (above !== null) out.print(above);
    if (out.terminal) out.write(shown);
  };
  return {
    news: (text) => {
      if (text !== null) redraw(text);
    },
    status: (text) => {
      shown = cutLine(text, out.columns() - 1);
      if (out.terminal) redraw(null);
    },
  };
}
