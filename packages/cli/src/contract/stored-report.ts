import { setTimeout as sleep } from "node:timers/promises";
import { parseBody, reportBodySchema, type ReportBody } from "@airlock/core/contract";
import { verifyRecord } from "@airlock/core/record";
import { globalKeys } from "@airlock/core/store";
import type { Session } from "../client/index.ts";

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
