// Takes recordings, a seed and a number of cases, gives every case in which the reading threw, was slow, depended on
// how the bytes were split, or let something run that the ground rule would not.
import { readResponses, replay, type ReplayOptions } from "@airlock/cli";
import { mutate } from "./mutate.ts";
import { objection } from "./oracle.ts";
import { createRandom, type Random } from "../../test/support/random.ts";
import type { Recording } from "./recordings.ts";

export interface Finding {
  /** With this as the seed, the first case is this one. */
  readonly seed: number;
  readonly file: string;
  readonly problem: string;
  readonly options: ReplayOptions;
  readonly bytes: Uint8Array;
}

export interface FuzzResult {
  readonly cases: number;
  /** Cases that still had something to run: a fuzzer in which none has tests nothing. */
  readonly executable: number;
  readonly slowestMs: number;
  readonly findings: readonly Finding[];
}

export interface FuzzInput {
  readonly recordings: readonly Recording[];
  readonly seed: number;
  readonly cases: number;
  readonly now: () => number;
}

/** Work per case is bounded by its bytes; this is far more than they take, on a busy machine too. */
const SLOW_MS = 5_000;
/** Most bases are small, so that mutations hit what decides. */
const SMALL_BYTES = 8 * 1024;

export function fuzz({ recordings, seed, cases, now }: FuzzInput): FuzzResult {
  const small = recordings.filter(({ bytes }) => bytes.length <= SMALL_BYTES);
  const running = small.filter((recording) => hasCalls(recording));
  const findings: Finding[] = [];
  let executable = 0;
  let slowestMs = 0;
  for (let at = 0; at < cases; at += 1) {
    const random = createRandom(seed + at);
    const base = random.pick(chooseBases(random, { recordings, small, running }));
    const other = random.pick(small.filter(({ family }) => family === base.family));
    const bytes = mutate(base.bytes, { random, other: other.bytes });
    const options = chooseOptions(base, random);
    const began = now();
    const played = play(bytes, options, random);
    const tookMs = now() - began;
    slowestMs = Math.max(slowestMs, tookMs);
    if (played.runs) executable += 1;
    const problem = played.problem ?? (tookMs > SLOW_MS ? `it took ${Math.round(tookMs)} ms` : null);
    if (problem !== null) findings.push({ seed: seed + at, file: base.file, problem, options, bytes });
  }
  return { cases, executable, slowestMs, findings };
}

/** What runs before it is mutated says most: a mutation has to stop it, or leave it as it is. */
function hasCalls({ family, buffered, bytes }: Recording): boolean {
  const options = { family, buffered, closingMarker: "optional", maxOutputTokens: null } as const;
  return replay(bytes, { ...options, chunkBytes: null, end: "clean", tools: null }).executable.length > 0;
}

function chooseBases(
  random: Random,
  bases: Readonly<Record<"recordings" | "small" | "running", readonly Recording[]>>,
): readonly Recording[] {
  if (random.chance(0.6)) return bases.running;
  return random.chance(0.05) ? bases.recordings : bases.small;
}

function chooseOptions({ family, buffered }: Recording, random: Random): ReplayOptions {
  return {
    family,
    buffered: random.chance(0.98) ? buffered : !buffered,
    closingMarker: random.chance(0.5) ? "optional" : "required",
    maxOutputTokens: random.chance(0.9) ? null : random.below(200),
    chunkBytes: null,
    end: random.chance(0.9) ? "clean" : random.pick(["reset", "idle_timeout", "cancelled"] as const),
  };
}

interface Played {
  readonly runs: boolean;
  readonly problem: string | null;
}

function play(mutated: Uint8Array, options: ReplayOptions, random: Random): Played {
  try {
    // Of several responses in one file the ground rule is asked about the first.
    const readings = readResponses(mutated, options);
    const bytes = readings.length > 1 ? mutated.subarray(0, readings[0]?.transport.bytes) : mutated;
    const document = replay(bytes, { ...options, tools: null });
    const chunked = replay(bytes, { ...options, tools: null, chunkBytes: 1 + random.below(64) });
    const stable = JSON.stringify(chunked) === JSON.stringify(document);
    return {
      runs: document.executable.length > 0,
      problem: stable ? objection({ bytes, options, document }) : "it depends on how the bytes are split",
    };
  } catch (error) {
    return { runs: false, problem: `it threw: ${String(error)}` };
  }
}
