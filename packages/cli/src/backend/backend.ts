import type { KillSwitch, Route, RunSpec } from "@airlock/core/run";
import type { SignedRecord } from "@airlock/core/record";
import type {
  ApprovalDocument,
  ApprovalEntry,
  DecisionEntry,
  DecisionQuery,
  DiffDocument,
  LedgerDocument,
  PoolDocument,
  QuarantineDocument,
  QuarantineEntry,
  QuarantineFilter,
  RouteDocument,
  RunDocument,
  RunListEntry,
  ToolDocument,
} from "@airlock/operator/document";
import type { TimedEvent } from "@airlock/operator/follow";
import type {
  Answered,
  AnswerResult,
  AskedAction,
  AskedResolution,
  AskedSwitch,
} from "@airlock/operator/order";

export interface AskedAnswer {
  readonly itemKey: string;
  readonly answer: "approve" | "deny";
  readonly reason: string;
  /** of the question that was seen */
  readonly nonce: string;
}

/**
 * All that commands know of an installation: they read documents and give orders here, whether that means its Redis and
 * the keys of this machine, or its console over HTTP. Every function throws an AirlockError where it can't answer.
 */
export interface Backend {
  /** whether it is another machine's, as paths are then */
  readonly remote: boolean;
  submit(spec: RunSpec): Promise<string>;
  runs(limit: number): Promise<readonly RunListEntry[]>;
  run(id: string): Promise<RunDocument>;
  events(id: string): Promise<readonly TimedEvent[]>;
  /** All events, then each new one, until the run has ended or `signal` aborts. */
  follow(id: string, signal: AbortSignal): AsyncIterable<TimedEvent>;
  diff(id: string): Promise<DiffDocument>;
  /** Of an ended run nothing is requested. */
  cancel(id: string, reason: string): Promise<{ readonly state: string; readonly requested: boolean }>;
  act(asked: AskedAction): Promise<Answered>;

  /** The soonest to expire first. */
  approvals(limit: number): Promise<readonly ApprovalEntry[]>;
  approval(itemKey: string): Promise<ApprovalDocument>;
  /** Answers in the name of whoever acts. */
  answer(asked: AskedAnswer): Promise<AnswerResult>;
  /** Hands in what somebody signed with a key of their own. */
  handIn(itemKey: string, record: SignedRecord): Promise<AnswerResult>;

  quarantine(filter: QuarantineFilter): Promise<readonly QuarantineEntry[]>;
  quarantined(target: string, options: { readonly raw: boolean }): Promise<QuarantineDocument>;
  unknown(run: string | null): Promise<readonly LedgerDocument[]>;
  ledger(itemKey: string, options: { readonly raw: boolean }): Promise<LedgerDocument>;
  resolve(asked: AskedResolution): Promise<Answered>;

  routes(): Promise<readonly RouteDocument[]>;
  /** The models that each route takes. */
  models(): Promise<ReadonlyMap<string, Pick<Route, "models">>>;
  pools(): Promise<readonly PoolDocument[]>;
  decisions(query: DecisionQuery): Promise<readonly DecisionEntry[]>;
  tools(): Promise<readonly ToolDocument[]>;

  switches(): Promise<readonly KillSwitch[]>;
  /** `done` once the switch stands as asked. */
  turnSwitch(asked: AskedSwitch): Promise<{ readonly id: string; readonly done: boolean }>;

  close(): void;
}

/** How long an order's answer is waited for. */
export const ANSWER_MS = 30_000;
