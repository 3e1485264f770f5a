// A way to a session and to this machine's files in, a backend on Redis itself out. The session is opened at the first use:
// what only files tell needs none.
import type { KillSwitch, Routes } from "@airlock/core/run";
import { isFinalRun, readKillSwitches, readRun } from "@airlock/core/run";
import { parseItemKey, type Keyring } from "@airlock/core/record";
import type { ToolCatalog } from "@airlock/core/tool";
import {
  assertSubmitted,
  listApprovals,
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
  answerCall,
  awaitAnswer,
  awaitSwitch,
  cancelRun,
  endOfAudit,
  sendAction,
  sendKill,
  sendResolution,
  storeAnswer,
  submitRun,
} from "@airlock/operator/order";
import type { Session } from "../session/index.ts";
import { ANSWER_MS, type Answered, type AskedAction, type AskedSwitch, type Backend } from "./backend.ts";

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
    cancel: (id, reason) => use((to) => cancel(to, id, reason)),
    act: (asked) => use((to) => act(to, asked)),
    approvals: () => use((to) => listApprovals(to)),
    approval: (itemKey) => use((to) => readApproval(to, itemKey)),
    answer: (asked) =>
      use((to) => answerCall({ ...to, approver: place.approver() }, { ...asked, approver: to.by })),
    handIn: (_, record) => use((to) => storeAnswer(to, record)),
    quarantine: (filter) => use((to) => listQuarantine(to, filter)),
    quarantined: (target, options) => use((to) => readQuarantine(to, target, options)),
    unknown: (run) => use((to) => listUnknown(to, run)),
    ledger: (itemKey, options) => use((to) => readLedger(to, itemKey, options)),
    resolve: ({ target, ...found }) =>
      use(async (to) => {
        const { itemKey } = await readLedger(to, target, { raw: false });
        const run = parseItemKey(itemKey)?.run ?? "";
        return answered(to, () => sendResolution(to, { run, target, ...found }));
      }),
    routes: () => use((to) => listRoutes(to, place.routes())),
    models: () => Promise.resolve(place.routes()),
    pools: () => use(({ redis }) => listPools(redis)),
    tools: () => Promise.resolve(listTools(place.catalog())),
    switches: () => use(({ redis }): Promise<readonly KillSwitch[]> => readKillSwitches(redis)),
    turnSwitch: (asked) => use((to) => turnSwitch(to, asked)),
    close: () => void opened?.then((to) => to.close()).catch(() => undefined), // it was told when it was opened
  };
}

async function submittedEvents({ redis }: Session, id: string) {
  await assertSubmitted(redis, id);
  return readEvents(redis, id);
}

async function cancel(session: Session, id: string, reason: string) {
  await assertSubmitted(session.redis, id);
  const state = (await readRun(session.redis, id))?.state ?? "queued";
  const requested = !isFinalRun(state);
  if (requested) await cancelRun(session, id, reason);
  return { state, requested };
}

async function act(session: Session, asked: AskedAction): Promise<Answered> {
  await assertSubmitted(session.redis, asked.run);
  const round = (await readRun(session.redis, asked.run))?.requeues ?? 0;
  return answered(session, () => sendAction(session, { ...asked, round }));
}

/** The audit is read from where it stood before the order went out. */
async function answered({ redis }: Session, send: () => Promise<string>): Promise<Answered> {
  const after = await endOfAudit(redis);
  const id = await send();
  return { id, answer: await awaitAnswer(redis, { id, after, timeoutMs: ANSWER_MS }) };
}

async function turnSwitch(session: Session, { kind, target, reason }: AskedSwitch) {
  const id = await sendKill(session, { kind, target, reason });
  const done = await awaitSwitch(session.redis, { kind, target, id, timeoutMs: ANSWER_MS });
  return { id, done };
}
