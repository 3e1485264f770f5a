// A way to a session and to this machine's files in, a backend on Redis itself out. The session is opened at the first use:
// what only files tell needs none.
import type { KillSwitch, Routes } from "@airlock/core/run";
import { readKillSwitches } from "@airlock/core/run";
import type { Keyring } from "@airlock/core/record";
import type { ToolCatalog } from "@airlock/core/tool";
import {
  assertSubmitted,
  listApprovals,
  listDecisions,
  listPools,
  listQuarantine,
  listRoutes,
  listRuns,
  listTools,
  listUnknown,
  readApproval,
  readDiffDocument,
  readLedger,
  readQuarantine,
  readRunDocument,
} from "@airlock/operator/document";
import { followEvents, readEvents } from "@airlock/operator/follow";
import {
  actOnRun,
  answerCall,
  cancelOpenRun,
  resolveCall,
  storeAnswer,
  submitRun,
  turnSwitch,
} from "@airlock/operator/order";
import type { Session } from "../session/index.ts";
import { ANSWER_MS, type Backend } from "./backend.ts";

export interface DirectPlace {
  readonly open: () => Promise<Session>;
  readonly routes: () => Routes;
  readonly catalog: () => ToolCatalog;
  /** signs answers in any name */
  readonly approver: () => Keyring;
}

export function directBackend(place: DirectPlace): Backend {
  let opened: Promise<Session> | undefined;
  const session = (): Promise<Session> => (opened ??= place.open());
  const use = async <T>(read: (session: Session) => Promise<T>): Promise<T> => read(await session());
  return {
    remote: false,
    submit: (spec) => use((to) => submitRun(to, spec)),
    runs: (limit) => use(({ redis }) => listRuns(redis, limit)),
    run: (id) => use((to) => readRunDocument(to, id)),
    events: (id) => use((to) => submittedEvents(to, id)),
    async *follow(id, signal) {
      const { redis } = await session();
      await assertSubmitted(redis, id);
      yield* followEvents(redis, id, signal);
    },
    diff: (id) => use((to) => readDiffDocument(to, id)),
    cancel: (id, reason) => use((to) => cancelOpenRun(to, id, reason)),
    act: (asked) => use((to) => actOnRun(to, asked, ANSWER_MS)),
    approvals: (limit) => use((to) => listApprovals(to, limit)),
    approval: (itemKey) => use((to) => readApproval(to, itemKey)),
    answer: (asked) =>
      use((to) => answerCall({ ...to, approver: place.approver() }, { ...asked, approver: to.by })),
    handIn: (_, record) => use((to) => storeAnswer(to, record)),
    quarantine: (filter) => use((to) => listQuarantine(to, filter)),
    quarantined: (target, options) => use((to) => readQuarantine(to, target, options)),
    unknown: (run) => use((to) => listUnknown(to, run)),
    ledger: (itemKey, options) => use((to) => readLedger(to, itemKey, options)),
    resolve: (asked) => use((to) => resolveCall(to, asked, ANSWER_MS)),
    routes: () => use((to) => listRoutes(to, place.routes())),
    models: () => Promise.resolve(place.routes()),
    decisions: (query) => use(({ redis }) => listDecisions(redis, query)),
    pools: () => use(({ redis }) => listPools(redis)),
    tools: () => Promise.resolve(listTools(place.catalog())),
    switches: () => use(({ redis }): Promise<readonly KillSwitch[]> => readKillSwitches(redis)),
    turnSwitch: (asked) => use((to) => turnSwitch(to, asked, ANSWER_MS)),
    close: () => void opened?.then((to) => to.close()).catch(() => undefined), // it was told when it was opened
  };
}

async function submittedEvents({ redis }: Session, id: string) {
  await assertSubmitted(redis, id);
  return readEvents(redis, id);
}
