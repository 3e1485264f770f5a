import { z } from "zod";
import { AirlockError } from "../fault/index.ts";
import { parseItemKey, type AttemptParts } from "../record/index.ts";
import { fieldsOf, runKeys, type Redis } from "../store/index.ts";
import {
  attemptHashSchema,
  CALL_STAGES,
  callHashSchema,
  itemHashSchema,
  runHashSchema,
  turnHashSchema,
  type AttemptHash,
  type CallHash,
  type RunHash,
  type TurnCall,
  type TurnHash,
} from "./records.ts";

const needsSchema = z.array(z.string());

export async function readRun(redis: Redis, run: string): Promise<RunHash | null> {
  const key = runKeys(run).run;
  return fieldsOf(runHashSchema, key, await redis.hgetall(key));
}

export async function readTurn(redis: Redis, run: string, turn: number): Promise<TurnHash | null> {
  const key = runKeys(run).turn(turn);
  return turnFromHash(key, await redis.hgetall(key));
}

/** Reads a turn from the flat list of fields that a script returns. */
export function turnFromList(key: string, list: readonly string[]): TurnHash {
  return existing(key, turnFromHash(key, hashOf(list)));
}

/** The same for a call. */
export function callFromList(key: string, list: readonly string[]): CallHash {
  return existing(key, fieldsOf(callHashSchema, key, hashOf(list)));
}

/** The same; null where it isn't whole: what ends a call may not fail over what is missing of it. */
export function endedCallFromList(list: readonly string[]): CallHash | null {
  return callHashSchema.safeParse(hashOf(list)).data ?? null;
}

function hashOf(list: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    list.flatMap((field, at): [string, string][] => (at % 2 === 0 ? [[field, list[at + 1] ?? ""]] : [])),
  );
}

function existing<Hash>(key: string, hash: Hash | null): Hash {
  if (hash === null) throw new AirlockError("RUN_NOT_FOUND", `${key} does not exist`);
  return hash;
}

function turnFromHash(key: string, hash: Readonly<Record<string, string>>): TurnHash | null {
  const fields = fieldsOf(turnHashSchema, key, hash);
  if (fields === null) return null;
  const calls = Object.entries(hash).flatMap(([field, value]): [string, TurnCall][] => {
    const stage = CALL_STAGES.find((known) => known === value);
    if (!field.startsWith("call:") || stage === undefined) return [];
    const itemKey = field.slice("call:".length);
    return [[itemKey, { stage, needs: needsSchema.parse(JSON.parse(hash[`need:${itemKey}`] ?? "[]")) }]];
  });
  const refusals = Object.entries(hash).flatMap(([field, value]): [number, string][] =>
    field.startsWith("refused:") ? [[Number(field.slice("refused:".length)), value]] : [],
  );
  const early = Object.keys(hash).flatMap((field) => (field.startsWith("early:") ? [field.slice(6)] : []));
  return {
    ...fields,
    early,
    calls: new Map(calls.toSorted(([a], [b]) => ordinalOf(a) - ordinalOf(b))),
    refusals: new Map(refusals),
  };
}

function ordinalOf(itemKey: string): number {
  return parseItemKey(itemKey)?.ordinal ?? 0;
}

export async function readAttempt(redis: Redis, parts: AttemptParts): Promise<AttemptHash | null> {
  const key = runKeys(parts.run).attempt(parts);
  return fieldsOf(attemptHashSchema, key, await redis.hgetall(key));
}

/** The provider's id of a response, where the attempt is committed and it had one. */
export async function readResponseId(redis: Redis, parts: AttemptParts): Promise<string | null> {
  return redis.hget(runKeys(parts.run).attempt(parts), "responseId");
}

export async function readCall(redis: Redis, itemKey: string): Promise<CallHash | null> {
  const key = runKeys(runOf(itemKey)).call(itemKey);
  return fieldsOf(callHashSchema, key, await redis.hgetall(key));
}

/** The signed record of an item alone, without what may be long. */
export async function readItemRecord(redis: Redis, itemKey: string): Promise<unknown> {
  const record = await redis.hget(runKeys(runOf(itemKey)).item(itemKey), "record");
  return record === null ? null : JSON.parse(record);
}

/** The signed record of an item as it was stored, and its sealed content while that is kept. */
export async function readItem(
  redis: Redis,
  itemKey: string,
): Promise<{
  readonly record: unknown;
  readonly content: string | null;
  readonly rawUntil?: number | undefined;
} | null> {
  const keys = runKeys(runOf(itemKey));
  const key = keys.item(itemKey);
  const [stored, content] = await Promise.all([redis.hgetall(key), redis.get(keys.content(itemKey))]);
  const hash = fieldsOf(itemHashSchema, key, stored);
  return hash === null ? null : { record: JSON.parse(hash.record), content, rawUntil: hash.rawUntil };
}

function runOf(itemKey: string): string {
  return parseItemKey(itemKey)?.run ?? "";
}
