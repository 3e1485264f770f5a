import { setTimeout as sleep } from "node:timers/promises";
import type { ReportBody } from "@airlock/core/contract";
import { readReports } from "@airlock/operator/document";
import { type Session } from "../session/index.ts";

const REPORT_TRIES = 100;
const REPORT_POLL_MS = 50;

/** The report that a run ended in: the validator stores it right after the end. Null where none comes. */
export async function storedReport(session: Session, route: string, run: string): Promise<ReportBody | null> {
  for (let tries = 0; tries < REPORT_TRIES; tries += 1) {
    const reports = await readReports(session, route);
    const own = reports.find((report) => report.run === run);
    if (own !== undefined) return own;
    await sleep(REPORT_POLL_MS);
  }
  return null;
}
