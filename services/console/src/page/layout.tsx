/** @jsxRuntime automatic @jsxImportSource preact */
import type { ComponentChildren, VNode } from "preact";
import { Visible } from "./part/visible.tsx";
import { CsrfField } from "./part/form.tsx";
import type { Reader } from "./reader.ts";

/** `role`: who sees the link; the pages themselves are guarded by their routes. */
const PLACES = [
  { href: "/runs", title: "Runs", role: "viewer" },
  { href: "/approvals", title: "Approvals", role: "viewer" },
  { href: "/quarantine", title: "Quarantine", role: "viewer" },
  { href: "/unknown", title: "Unknown outcomes", role: "viewer" },
  { href: "/routes", title: "Routes", role: "viewer" },
  { href: "/executors", title: "Executors", role: "viewer" },
  { href: "/audit", title: "Audit", role: "operator" },
  { href: "/board", title: "Queues", role: "viewer" },
] as const;

export interface LayoutProps {
  readonly title: string;
  /** null before the login */
  readonly reader: Reader | null;
  /** the place in the navigation */
  readonly here?: string;
  /** where the page hears that it is out of date */
  readonly live?: string | null;
  readonly children: ComponentChildren;
}

export function Layout({ title, reader, here, live, children }: LayoutProps): VNode {
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{`${title} · Airlock`}</title>
        <link rel="icon" href="/assets/airlock.svg" type="image/svg+xml" />
        <link rel="stylesheet" href="/assets/console.css" />
        <script src="/assets/console.js" type="module" />
      </head>
      <body data-live={live ?? undefined} data-now={reader === null ? undefined : String(reader.now)}>
        <a class="skip" href="#main">
          Skip to the content
        </a>
        {reader !== null && <Head reader={reader} here={here} />}
        <main id="main" tabindex={-1}>
          {children}
        </main>
        <p id="live-note" class="live-note" role="status" aria-live="polite" />
      </body>
    </html>
  );
}

function Head({ reader, here }: { readonly reader: Reader; readonly here: string | undefined }): VNode {
  return (
    <header class="head">
      <a class="brand" href="/runs">
        <img src="/assets/airlock.svg" alt="" width="20" height="20" /> Airlock
      </a>
      <nav aria-label="Pages">
        <ul>
          {PLACES.filter(({ role }) => reader.roles.has(role)).map(({ href, title }) => (
            <li>
              <a href={href} aria-current={href === here ? "page" : undefined}>
                {title}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <form class="leave" method="post" action="/logout">
        <CsrfField reader={reader} />
        <span class="who">
          <Visible text={reader.name} />
        </span>
        <button type="submit" class="quiet-button">
          Log out
        </button>
      </form>
    </header>
  );
}
