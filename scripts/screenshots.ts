// Takes docs/images/*.png: each page of a console over records as streamer and validator write them. `pnpm screenshots`
import { mkdirSync } from "node:fs";
import path from "node:path";
import { queuePrefix } from "@airlock/core/queue";
import { createKeyrings } from "@airlock/core/record";
import { runKeys } from "@airlock/core/store";
import { Queue } from "bullmq";
import type { BrowserContextOptions } from "playwright-core";
import { launchChromium } from "../test/support/chromium.ts";
import { startTestConsole } from "../test/support/console.ts";
import { startRedis } from "../test/support/redis-server.ts";
import { ROOT } from "../test/support/root.ts";
import { seedRun } from "../test/support/seeded-run.ts";
import { visit } from "../test/support/visit.ts";

const ROUTES = "routes: { claude: { family: anthropic, baseUrl: cometapi, models: ['claude-*'] } }";
const FOLDER = path.join(ROOT, "docs/images");
const DESK = { viewport: { width: 1_180, height: 760 } } as const;
const PATCH = `--- a/src/price.js
+++ b/src/price.js
@@ -3,5 +3,5 @@
   const sign = cents < 0 ? "-" : "";
   const amount = Math.abs(cents);
-  const rest = String(amount % 100);
+  const rest = String(amount % 100).padStart(2, "0");
   return sign + Math.floor(amount / 100) + "." + rest;
`;

const keyrings = createKeyrings();
const [server, browser] = await Promise.all([startRedis({ appendfsync: "everysec" }), launchChromium()]);
const desk = await startTestConsole({ redis: server.redis, keyrings, routes: ROUTES });
try {
  mkdirSync(FOLDER, { recursive: true });
  const pages = await seedPages();
  for (const [name, { at, ...options }] of Object.entries(pages)) {
    const { page, offences, close } = await visit(browser, desk, { name: "everything", ...DESK, ...options });
    await page.goto(`${desk.url}${at}`);
    if (name === "board") await page.getByRole("link", { name: "What would run" }).waitFor(); // it fetches what it shows
    await page.screenshot({ path: path.join(FOLDER, `${name}.png`) });
    await close();
    if (offences.length > 0) throw new Error(`${name}: ${offences.join("; ")}`);
  }
} finally {
  await browser.close();
  await desk.close();
  await server.close();
}

/** A run in the middle of its work, with two questions; each picture's place. */
async function seedPages(): Promise<
  Readonly<Record<string, BrowserContextOptions & { readonly at: string }>>
> {
  const place = { redis: server.redis, keyrings };
  await seedRun(place, {
    labels: { team: "shop", build: "4710" },
    requestedBy: "ci",
    turns: [[{ tool: "read_file", state: "EXECUTED", arguments: { path: "README.md" } }]],
  });
  const { run, itemKeys } = await seedRun(place, {
    labels: { team: "shop", build: "4711" },
    requestedBy: "ci",
    turns: [
      [
        { tool: "list_files", state: "EXECUTED", arguments: { path: "." } },
        { tool: "read_file", state: "EXECUTED", arguments: { path: "src/price.js" } },
      ],
      [
        {
          tool: "apply_patch",
          state: "AWAITING_APPROVAL",
          arguments: { patch: PATCH },
          rule: "patches-of-prices",
          reason: "Changes of prices are looked at by a person.",
          expiresInMs: 840_000,
        },
        {
          tool: "run_command",
          state: "AWAITING_APPROVAL",
          arguments: { argv: ["npm", "publish", "--tag", "next"] },
          rule: "publish",
          reason: "Publishing needs two people.",
          quorum: 2,
          expiresInMs: 1_500_000,
        },
      ],
    ],
  });
  const [patch = "", command = ""] = itemKeys[1] ?? [];
  await park(run, command);
  const phone = { viewport: { width: 390, height: 780 } };
  return {
    runs: { at: "/runs" },
    timeline: { at: `/runs/${run}` },
    approvals: { at: "/approvals" },
    approval: { at: `/approvals/${patch}` },
    "approval-dark": { at: `/approvals/${command}`, colorScheme: "dark" },
    "approval-phone": { at: `/approvals/${command}`, ...phone },
    quarantine: { at: "/quarantine" },
    unknown: { at: "/unknown" },
    routes: { at: "/routes" },
    executors: { at: "/executors" },
    audit: { at: "/audit" },
    board: { at: "/board/queue/approvals?status=delayed" },
  };
}

/** The call's question as the validator parks it on `approvals`. */
async function park(run: string, item: string): Promise<void> {
  const record = JSON.parse((await server.redis.hget(runKeys(run).call(item), "askRecord")) ?? "");
  const queue = new Queue("approvals", { connection: server.redis, prefix: queuePrefix("approvals") });
  await queue.add("ask", { record }, { jobId: `${item}.1`, delay: 1_500_000 });
  await queue.close();
}
