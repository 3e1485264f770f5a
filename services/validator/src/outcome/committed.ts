import type { ResponseBody } from "@airlock/core/contract";
import type { CallHash, TurnHash } from "@airlock/core/run";
import type { AdmittedRun } from "../verdict/judgement.ts";

/** The calls of a response by item key, each with its verdict and decision. */
export type JudgedCalls = ReadonlyMap<string, CallHash>;

/** A response that its streamer committed, with all that decides what follows it. */
export interface Committed {
  readonly body: ResponseBody;
  readonly run: AdmittedRun;
  readonly turn: TurnHash;
  readonly calls: JudgedCalls;
}
