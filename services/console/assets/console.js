// @ts-check
// What a page does beyond what the server made of it: its times count, it hears when it is out of date and fetches itself
// anew, and keys walk over it. Without this script every page and form still works.

const body = document.body;
/** The reader's clock may be wrong; the server's decides. */
const skewMs = Number(body.dataset["now"] ?? Date.now()) - Date.now();

// --- times -----------------------------------------------------------------------------------------------------------

const UNITS = /** @type {const} */ ([
  [86_400, "d"],
  [3_600, "h"],
  [60, "min"],
  [1, "s"],
]);

/** @param {number} milliseconds */
function span(milliseconds) {
  let seconds = Math.max(0, Math.round(milliseconds / 1_000));
  const parts = UNITS.flatMap(([size, unit]) => {
    const count = Math.floor(seconds / size);
    seconds -= count * size;
    return count === 0 ? [] : [`${count} ${unit}`];
  });
  return parts.slice(0, 2).join(" ") || "0 s";
}

function tellTimes() {
  const now = Date.now() + skewMs;
  for (const element of document.querySelectorAll("time[data-time]")) {
    const at = Date.parse(element.getAttribute("datetime") ?? "");
    const left = at - now;
    const ago = `${span(-left)} ago`;
    const until = left <= 0 ? "over" : `${span(left)} left`;
    element.textContent = element.getAttribute("data-time") === "ago" ? ago : until;
  }
}
setInterval(tellTimes, 1_000);

// --- live ------------------------------------------------------------------------------------------------------------

/** Never more often, however much happens. */
const REFRESH_MS = 300;
const note = document.getElementById("live-note");
let fetching = false;
let stale = false;

/** @param {string} text */
function say(text) {
  if (note !== null && note.textContent !== text) note.textContent = text;
}

async function refresh() {
  stale = true;
  if (fetching) return;
  fetching = true;
  while (stale) {
    stale = false;
    await renew().catch(() => say("Not live: the console can't be reached"));
    await new Promise((resolve) => setTimeout(resolve, REFRESH_MS));
  }
  fetching = false;
}

async function renew() {
  const response = await fetch(location.href, { headers: { accept: "text/html" } });
  // it is no longer what it was, or the session is over: the whole page says so
  if (!response.ok || response.redirected) return location.reload();
  const fresh = new DOMParser().parseFromString(await response.text(), "text/html");
  document.title = fresh.title;
  for (const part of document.querySelectorAll("[data-fragment]")) {
    const next = fresh.getElementById(part.id);
    if (next !== null && next.innerHTML !== part.innerHTML) replace(part, next);
  }
  tellTimes();
}

/**
 * What the reader opened stays open, and what has the focus keeps it.
 * @param {Element} part
 * @param {Element} next
 */
function replace(part, next) {
  const opened = [...part.querySelectorAll("details")].map(({ open }) => open);
  next.querySelectorAll("details").forEach((details, at) => {
    details.open = opened[at] ?? details.open;
  });
  const focused = document.activeElement;
  const place = focused !== null && part.contains(focused) ? focused.getAttribute("href") : null;
  part.replaceWith(document.adoptNode(next));
  if (place === null) return;
  for (const link of next.querySelectorAll("a")) {
    if (link.getAttribute("href") === place) return link.focus({ preventScroll: true });
  }
}

const source = body.dataset["live"];
if (source !== undefined) {
  const events = new EventSource(source);
  // after an outage the browser asks with what the page had seen at first: it is told of all that came since
  events.addEventListener("open", () => say("Live"));
  events.addEventListener("changed", () => void refresh());
  events.addEventListener("error", () => say("Not live: waiting for the console"));
}

// --- keys ------------------------------------------------------------------------------------------------------------

/** @returns {HTMLAnchorElement[]} the first link of each row that keys walk over */
function stops() {
  return [...document.querySelectorAll("table[data-walk] tbody tr")].flatMap((row) => {
    const link = row.querySelector("a");
    return link === null ? [] : [link];
  });
}

/** @param {number} by */
function walk(by) {
  const links = stops();
  const row = document.activeElement?.closest("tr") ?? null;
  const at = links.findIndex((link) => link.closest("tr") === row);
  const next = at < 0 ? (by > 0 ? 0 : links.length - 1) : Math.min(Math.max(at + by, 0), links.length - 1);
  links[next]?.focus();
}

/** @param {string} key */
function moveTo(key) {
  const button = document.querySelector(`button[data-key="${key}"]`);
  if (button instanceof HTMLElement) button.focus();
}

/** @type {Readonly<Record<string, () => void>>} */
const KEYS = { j: () => walk(1), k: () => walk(-1), a: () => moveTo("a"), d: () => moveTo("d") };

document.addEventListener("keydown", (event) => {
  const typing = event.target instanceof Element && event.target.closest("input, select, textarea") !== null;
  if (typing || event.ctrlKey || event.metaKey || event.altKey || !Object.hasOwn(KEYS, event.key)) return;
  event.preventDefault();
  KEYS[event.key]?.();
});

// a denial needs its reason: said before it is sent
document.addEventListener("submit", (event) => {
  const { submitter, target } = event;
  if (!(submitter instanceof HTMLButtonElement) || !(target instanceof HTMLFormElement)) return;
  const reason = target.elements.namedItem("reason");
  if (submitter.value !== "deny" || !(reason instanceof HTMLInputElement) || reason.value.trim() !== "")
    return;
  event.preventDefault();
  reason.setCustomValidity("To deny it, say why.");
  reason.reportValidity();
  reason.addEventListener("input", () => reason.setCustomValidity(""), { once: true });
});
