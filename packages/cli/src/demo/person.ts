// Events of a story in, a person's answers to the calls that wait out: asked for on a terminal, else given over HTTP by
// a configured approver; a deletion is answered only when it is too late.
import { createInterface } from "node:readline/promises";
import type { RunEvent } from "@airlock/core/contract";
import { openBackend, type Backend } from "../backend/index.ts";
import type { Local } from "../local/index.ts";
import { approvalText, type Screen } from "../view/index.ts";
import type { Seen } from "./findings.ts";

/** The token that `airlock up` makes: it is whoever the commands of this machine are. */
const APPROVER = "local";

interface Person {
  /** whether somebody is asked on the terminal */
  readonly asks: boolean;
  see(event: RunEvent): void;
  /** Aborted, with its reason, where an answer could not be given. */
  readonly failure: AbortSignal;
  /** After the run's end: what was answered. */
  answers(): Promise<Seen["answers"]>;
}

interface Place {
  readonly local: Local;
  readonly out: Screen;
  readonly signal: AbortSignal;
}

export function createPerson(place: Place): Person {
  const asks = place.out.terminal && process.stdin.isTTY;
  const answering = createAnswering(place, asks);
  const pending: Promise<void>[] = [];
  const failure = new AbortController();
  const keep = (work: Promise<void>): void => {
    pending.push(work.catch((error: unknown) => failure.abort(error)));
  };
  return {
    asks,
    failure: failure.signal,
    see(event) {
      // the question is there from here on, not yet when the call is parked
      if (event.type === "approval_requested") keep(answering.asked(event.itemKey, event.tool));
      if (event.type === "item_state" && event.state === "EXPIRED") keep(answering.expired(event.itemKey));
    },
    async answers() {
      await Promise.all(pending);
      return answering.given;
    },
  };
}

/** What one person does about the story's two calls, and what came of it. */
function createAnswering({ local, out, signal }: Place, asks: boolean) {
  const given: { -readonly [Name in keyof Seen["answers"]]: Seen["answers"][Name] } = {
    patch: null,
    late: null,
  };
  const backend = consoleOf(local);
  let lateNonce = "";
  return {
    given,
    async asked(itemKey: string, tool: string): Promise<void> {
      const document = await backend.approval(itemKey);
      const { nonce } = document.evidence;
      if (tool !== "apply_patch") {
        lateNonce = nonce;
        return;
      }
      out.print(`\n${approvalText(out, document, Date.now())}\n`);
      out.print(`  its page: ${local.consoleUrl}/approvals/${itemKey}`);
      if (!asks) out.print(`  no terminal to ask on: ${APPROVER} approves over HTTP`);
      const answer = asks ? await askPerson(signal) : "approve";
      await backend.answer({ itemKey, answer, nonce, reason: "as the demo's story has it" });
      given.patch = answer;
    },
    async expired(itemKey: string): Promise<void> {
      const late = { itemKey, answer: "approve", nonce: lateNonce, reason: "too late" } as const;
      given.late = (await backend.answer(late)).kind;
      out.print(`  ${APPROVER} approves the deletion after its time: refused (${given.late})`);
    },
  };
}

/** With a token, as a command on any machine has it. */
function consoleOf({ consoleUrl, paths }: Local): Backend {
  return openBackend({
    environment: { AIRLOCK_URL: consoleUrl, AIRLOCK_TOKEN_FILE: paths.consoleToken },
    folder: paths.data,
    data: undefined,
    by: undefined,
    onState: () => undefined,
    onWait: () => undefined,
  });
}

async function askPerson(signal: AbortSignal): Promise<"approve" | "deny"> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    const said = await terminal.question("approve it? [y/N] ", { signal });
    return /^y(es)?$/i.test(said.trim()) ? "approve" : "deny";
  } finally {
    terminal.close();
  }
}
