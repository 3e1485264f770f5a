import type { Promised } from "@airlock/executor";

/** What was found on a machine. Gathered in one place, so that judging it is a pure function. */
export interface Facts {
  readonly nodeVersion: string;
  readonly platform: string;
  readonly gitVersion: string | null;
  /** redis-server or valkey-server on the PATH */
  readonly redisProgram: string | null;
  readonly redis: RedisFact;
  /** of util-linux, on the PATH: executors lock their logs with it */
  readonly flock: string | null;
  /** `own`: whether this process can leave no core dump; `prlimit` on the PATH, with which services see to that */
  readonly coreDumps: { readonly own: boolean; readonly prlimit: string | null };
  readonly bwrap: { readonly path: string; readonly version: string | null };
  readonly sandbox: Outcome;
  readonly userNamespaces: {
    /** null: the kernel has no such switch */
    readonly allowed: boolean | null;
    readonly max: number | null;
    readonly appArmorRestricts: boolean;
  };
  readonly keys:
    | { readonly kind: "usable" | "absent" }
    | { readonly kind: "unusable"; readonly detail: string };
  readonly apiKeySet: boolean;
  readonly settings: Outcome;
  readonly routes: Outcome;
  readonly tools: Outcome;
  readonly policies: Outcome;
  readonly repositories: Outcome;
}

/** `detail` says what was found, or why it failed. */
export interface Outcome {
  readonly ok: boolean;
  readonly detail: string;
}

export type RedisFact =
  /** neither REDIS_URL nor a running `airlock up` */
  | { readonly kind: "unnamed" }
  | { readonly kind: "silent"; readonly place: string; readonly detail: string }
  | {
      readonly kind: "answers";
      readonly place: string;
      readonly version: string;
      /** whether what it acknowledged is kept, as executors ask it */
      readonly keeps: Promised;
      readonly relaxed: boolean;
      /** the pools that have a live executor */
      readonly pools: readonly { readonly name: string; readonly live: number; readonly runs: number }[];
    };
