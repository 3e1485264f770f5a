// Takes the headers that say when to come back, gives the wait; null for none, for nonsense, and for a time that is past.
type Header = string | string[] | undefined;

const MAX_MS = 600_000;

/** Seconds or a date, as HTTP has both. A date is held against the server's own clock, or ours where it shows none. */
export function retryAfter(header: Header, date: Header, now: () => number = Date.now): number | null {
  const text = single(header);
  const seconds = Number(text);
  const waitMs = Number.isFinite(seconds) ? seconds * 1_000 : untilDate(text, single(date), now);
  return waitMs > 0 ? Math.ceil(Math.min(waitMs, MAX_MS)) : null;
}

function untilDate(text: string, date: string, now: () => number): number {
  const server = httpDate(date);
  return httpDate(text) - (Number.isNaN(server) ? now() : server);
}

/** The one form that HTTP sends; `Date.parse` alone would take much for a date. */
function httpDate(text: string): number {
  return /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(text)
    ? Date.parse(text)
    : Number.NaN;
}

function single(header: Header): string {
  return typeof header === "string" ? header.trim() : "";
}
