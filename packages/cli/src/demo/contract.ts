// A route and its models in, the signed reports of both contract scenarios out, each with the run that showed it.
import { setTimeout as sleep } from "node:timers/promises";
import { parseBody, reportBodySchema, type ReportBody } from "@airlock/core/contract";
import { namesOf } from "@airlock/core/fault";
import { verifyRecord } from "@airlock/core/record";
import { parseRunSpec, type RunSpec } from "@airlock/core/run";
import { globalKeys } from "@airlock/core/store";
import type { Session } from "../client/index.ts";

export type Scenario = NonNullable<RunSpec["contract"]>;

const SCENARIOS = {
  text: {
    instructions: "Answer with one short sentence, and call no tool.",
    input: "Say that you are ready.",
    tools: [],
  },
  tool_call: {
    instructions:
      "Call read_file once, with the path README.md. Whatever comes back, even a refusal, then answer with one " +
      "short sentence, and call nothing more.",
    input: "What is in README.md?",
    tools: ["read_file"],
  },
} as const satisfies Record<Scenario, unknown>;

export const SCENARIO_NAMES = namesOf(SCENARIOS);

export function contractSpec(
  scenario: Scenario,
  place: { readonly route: string; readonly model: string },
): RunSpec {
  const spec = {
    ...place,
    ...SCENARIOS[scenario],
    policy: "ci-default",
    contract: scenario,
    limits: { turns: 3, attempts: 2, calls: 4, deadlineMs: 120_000 },
  };
  return parseRunSpec(spec, `the contract scenario ${scenario}`);
}

const REPORT_TRIES = 100;
const REPORT_POLL_MS = 50;

/** The report that a run ended in: the validator stores it right after the end. Null where none comes. */
export async function storedReport(session: Session, route: string, run: string): Promise<ReportBody | null> {
  for (let tries = 0; tries < REPORT_TRIES; tries += 1) {
    const texts = await session.redis.hvals(globalKeys.report(route));
    const reports = texts.flatMap((text) => reportIn(session, text));
    const own = reports.find((report) => report.run === run);
    if (own !== undefined) return own;
    await sleep(REPORT_POLL_MS);
  }
  return null;
}

function reportIn({ keyring }: Session, text: string): readonly ReportBody[] {
  const record: unknown = JSON.parse(text);
  try {
    return [parseBody(reportBodySchema, verifyRecord(keyring, "report", record))];
  } catch {
    return []; // signed with the keys of another installation that used this Redis
  }
}
