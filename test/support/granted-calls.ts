import { setTimeout as sleep } from "node:timers/promises";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { argumentsDigest } from "@airlock/core/call";
import type { JsonObject } from "@airlock/core/json";
import { createLedger } from "@airlock/core/ledger";
import { sendCancel, sendEnded, createPublisher } from "@airlock/core/queue";
import { itemKey, newRunId, openSealed, sealBody, sha256Hex } from "@airlock/core/record";
import { readRunDiff, type RunDiff } from "@airlock/core/run";
import { loadPolicyProfiles } from "@airlock/core/runtime";
import { connectRedis, redisNow, runKeys } from "@airlock/core/store";
import { BUILTIN_CATALOG, manifestDigest } from "@airlock/core/tool";
import type { ExecutorPlace } from "./real-executor.ts";

/** How a call ended: what the ledger says, and the result that the model would get. */
export interface CallEnd {
  readonly state: string;
  readonly errorClass: string | null;
  readonly result: JsonObject;
}

/** A run of the test's own, whose calls all go through the executor's one door: a signed grant on its queue. */
export interface GrantedRun {
  readonly run: string;
  readonly tree: string;
  lastKey(): string;
  call(tool: string, args: JsonObject): Promise<CallEnd>;
  /** A `run_command` of a bash script, which lies in the tree as SCRIPT: its exit code and both streams. */
  bash(script: string, options?: { readonly timeoutMs?: number }): Promise<Ran>;
}

export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly end: CallEnd;
}

export interface GrantedCalls {
  /** A new run, of the executor's own source or another; its workspace is there once this returns. */
  run(options?: { readonly source?: string }): Promise<GrantedRun>;
  cancel(run: string): Promise<void>;
  /** Ends the run, as the validator would, and gives the diff that the executor then takes of its tree. */
  diffAtEnd(run: GrantedRun): Promise<RunDiff>;
  /** What the ledger says that the run's last call ran in. */
  sandboxOf(run: GrantedRun): Promise<string | null>;
  close(): Promise<void>;
}

const FINAL = new Set(["EXECUTED", "DENIED", "EXPIRED", "CANCELLED", "OUTCOME_UNKNOWN", "NEEDS_HUMAN"]);
/** Policy lets no model start a shell; perl hands a script with another program's first line over to that program. */
const SCRIPT = "script.sh";

const FAR_MS = 600_000;

interface Asked {
  readonly tool: string;
  readonly args: JsonObject;
}

/** Stands in for streamer and validator with their own keys: whatever is asked for is granted. */
export function openGrantedCalls(place: ExecutorPlace): GrantedCalls {
  const redis = connectRedis(place.url, { name: "test", onState: () => undefined });
  const streamer = createPublisher({ redis, keyring: place.keyrings.streamer });
  const validator = createPublisher({ redis, keyring: place.keyrings.validator });
  const ledger = createLedger(redis);
  const policyDigest = loadPolicyProfiles(place.policies).get("open")?.enforced.digest ?? "";

  async function grant(source: string, key: string, { tool, args }: Asked): Promise<void> {
    const workspace = { source, ref: "main" };
    const manifest = BUILTIN_CATALOG.get(tool);
    if (manifest === undefined) throw new Error(`no tool ${tool}`);
    const [run = "", turn = "1"] = key.split(".");
    const keys = runKeys(run);
    const text = JSON.stringify(args);
    const content = sealBody(place.keyrings.streamer, { seal: "calls", place: keys.item(key) }, text);
    const item = {
      version: 1,
      run,
      turn: Number(turn),
      attempt: 1,
      ordinal: 0,
      kind: "tool_call",
      callId: "c",
      name: tool,
      argumentsKind: "json",
      bytes: Buffer.byteLength(text),
      state: "ITEM_TERMINAL",
      errorClass: null,
      contentDigest: sha256Hex(content),
    } as const;
    await redis.set(keys.content(key), content);
    await redis.hset(keys.item(key), {
      record: JSON.stringify(streamer.sign({ purpose: "item", body: item })),
    });
    await redis.hset(keys.call(key), { state: "POLICY_APPROVED", grant: 1 });
    const far = (await redisNow(redis)) + FAR_MS;
    const digest = manifestDigest(manifest);
    const body = {
      version: 1,
      run,
      itemKey: key,
      grant: 1,
      tool,
      manifestDigest: digest,
      effect: manifest.effect,
      argumentsDigest: argumentsDigest({ tool, manifestDigest: digest, arguments: args, workspace }),
      policy: "open",
      policyDigest,
      workspace,
      pool: "default",
      expiresAt: far,
      notAfter: far,
    } as const;
    await validator.publish(validator.sign({ purpose: "execution", body }));
  }

  async function endOf(key: string): Promise<CallEnd> {
    for (const deadline = Date.now() + 60_000; Date.now() < deadline; await sleep(4)) {
      const entry = await ledger.read(key);
      if (entry === null || !FINAL.has(entry.state)) continue;
      const where = runKeys(key.split(".")[0] ?? "").result(key);
      const sealed = await redis.get(where);
      const seal = { seal: "calls", place: where } as const;
      const result = sealed === null ? "{}" : openSealed(place.keyrings.executor, seal, sealed);
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the executor's own result
      const parsed = JSON.parse(result) as JsonObject;
      return { state: entry.state, errorClass: entry.errorClass ?? null, result: parsed };
    }
    throw new Error(`call ${key} did not end`);
  }

  async function newRun({ source = place.source } = {}): Promise<GrantedRun> {
    const run = newRunId();
    let turn = 0;
    const lastKey = (): string => itemKey({ run, turn, attempt: 1, ordinal: 0 });
    await redis.hset(runKeys(run).run, { state: "running" });
    const call: GrantedRun["call"] = async (tool, args) => {
      turn += 1;
      const key = lastKey();
      await grant(source, key, { tool, args });
      return endOf(key);
    };
    const granted: GrantedRun = {
      run,
      tree: path.join(place.volume, run, "tree"),
      lastKey,
      call,
      async bash(script, options = {}) {
        await writeFile(path.join(granted.tree, SCRIPT), `#!/bin/bash\n${script}\n`);
        return ranOf(await call("run_command", { argv: ["perl", SCRIPT], ...options }));
      },
    };
    const first = await call("list_files", { path: "." });
    if (first.result["status"] !== "ok") throw new Error(`no workspace: ${JSON.stringify(first)}`);
    return granted;
  }

  return {
    run: newRun,
    sandboxOf: async (run) => (await ledger.read(run.lastKey()))?.sandbox ?? null,
    async diffAtEnd({ run }) {
      const told = {
        route: "r",
        model: "m",
        policy: "open",
        requestedBy: "t",
        labels: "{}",
        createdAt: 1,
        turn: 1,
      };
      const endedAt = await redisNow(redis);
      const ended = { state: "completed", endedAt, keepUntil: endedAt + FAR_MS, pool: "default" };
      await redis.hset(runKeys(run).run, { ...told, ...ended });
      await sendEnded(redis, run);
      for (const deadline = Date.now() + 240_000; Date.now() < deadline; await sleep(20)) {
        const diff = await readRunDiff({ redis, keyring: place.keyrings.client }, run);
        if (diff !== null) return diff;
      }
      throw new Error(`no diff of ${run} was taken`);
    },
    async cancel(run) {
      await redis.hset(runKeys(run).run, { cancelled: "1" });
      await sendCancel(redis, run);
    },
    async close() {
      await streamer.close();
      await validator.close();
      redis.disconnect();
    },
  };
}

export function ranOf(end: CallEnd): Ran {
  const { exitCode, stdout, stderr } = end.result;
  return {
    code: typeof exitCode === "number" ? exitCode : null,
    stdout: textOf(stdout),
    stderr: textOf(stderr),
    end,
  };
}

function textOf(stream: unknown): string {
  if (typeof stream !== "object" || stream === null || !("text" in stream)) return "";
  return String(stream.text);
}
