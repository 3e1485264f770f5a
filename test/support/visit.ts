import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { passwordOf, type TestConsole } from "./console.ts";

export interface Visit {
  readonly page: Page;
  /** what no page may do: errors on the console, requests to another origin, dialogs */
  readonly offences: readonly string[];
  readonly close: () => Promise<void>;
}

/** A browser of one person's own, signed in as `name`, whose every offence is written down. */
export async function visit(
  browser: Browser,
  console: TestConsole,
  { name, ...options }: { readonly name: string } & BrowserContextOptions,
): Promise<Visit> {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const offences: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning")
      offences.push(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => offences.push(`script: ${error.message}`));
  page.on("dialog", (dialog) => {
    offences.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("request", (request) => {
    if (!request.url().startsWith(`${console.url}/`)) offences.push(`request: ${request.url()}`);
  });
  await page.goto(`${console.url}/login`);
  await page.getByLabel("Name").fill(name);
  await page.getByLabel("Password").fill(passwordOf(name));
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.waitForURL(`${console.url}/runs`);
  return { page, offences, close: () => context.close() };
}

/** How far a page is wider than its window. */
export async function overflowOf(page: Page): Promise<number> {
  return Number(await page.evaluate("document.documentElement.scrollWidth - window.innerWidth"));
}
