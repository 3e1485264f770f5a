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

export function createPerson({ local, out, signal }: Place): Person {
  const asks = out.terminal && process.stdin.isTTY;
  const found: { -readonly [Name in keyof Seen["answers"]]: Seen["answers"][Name] } = {
    patch: null,
    late: null,
  };
  let backend: Backend | null = null;
  let lateNonce = "";
  const open = (): Backend => (backend ??= overHttp(local));
  const onParked = async (itemKey: string, tool: string): Promise<void> => {
    const document = await open().approval(itemKey);
    const { nonce } = document.evidence;
    if (tool !== "apply_patch") return void (lateNonce = nonce);
    out.print(`\n${approvalText(out, document, Date.now())}\n`);
    const answer = asks ? await askPerson(signal) : "approve";
    if (!asks) out.print(`  no terminal to ask on: ${APPROVER} approves`);
    await open().answer({ itemKey, answer, nonce, reason: "as the demo's story has it" });
    found.patch = answer;
  };
  const onExpired = async (itemKey: string): Promise<void> => {
    const late = { itemKey, answer: "approve", nonce: lateNonce, reason: "too late" } as const;
    found.late = (await open().answer(late)).kind;
    out.print(`  ${APPROVER} approves the deletion after its time: refused (${found.late})`);
  };
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
      if (event.type === "approval_requested") keep(onParked(event.itemKey, event.tool));
      if (event.type === "item_state" && event.state === "EXPIRED") keep(onExpired(event.itemKey));
    },
    async answers() {
      try {
        await Promise.all(pending);
        return found;
      } finally {
        backend?.close();
      }
    },
  };
}

/** The console of this very demo, with the token of whoever may use this machine. */
function overHttp({ consoleUrl, paths }: Local): Backend {
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
