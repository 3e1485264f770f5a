import { createHmac } from "node:crypto";
import { assertNever } from "@airlock/core/fault";
import type { NotifiedEvent } from "./event.ts";

/** An event in, the text of a request out: identifiers, classes, decisions and a link, the only place with content. */
export function messageText({ id, at, labels, notice }: NotifiedEvent, origin: string): string {
  const times = "expiresAt" in notice ? { expiresAt: new Date(notice.expiresAt).toISOString() } : {};
  return JSON.stringify({ id, at, link: `${origin}${pageOf(notice)}`, ...notice, ...times, labels });
}

/** What a receiver checks: the digest covers the time too, so that an old request can't be sent again later. */
export function signatureHeaders(
  text: string,
  { secret, sentAt }: { readonly secret: string; readonly sentAt: Date },
): Readonly<Record<string, string>> {
  const timestamp = String(Math.floor(sentAt.getTime() / 1_000));
  const digest = createHmac("sha256", secret).update(`${timestamp}.${text}`).digest("hex");
  return { "airlock-timestamp": timestamp, "airlock-signature": `sha256=${digest}` };
}

function pageOf(notice: NotifiedEvent["notice"]): string {
  switch (notice.type) {
    case "approval_requested":
    case "approval_expiring":
      return `/approvals/${encodeURIComponent(notice.itemKey)}`;
    case "approval_decided":
    case "run_ended":
      return `/runs/${encodeURIComponent(notice.run)}`;
    case "outcome_unknown":
      return "/unknown";
    case "route_suspended":
      return "/routes";
    default:
      return assertNever(notice);
  }
}
