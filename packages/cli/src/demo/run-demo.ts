// Nothing but this checkout in, the demo's stories played on real parts out: contract scenarios, then the stories,
// each checked against the files themselves. False where an expectation did not hold.
import { chmodSync, cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { Environment } from "../config.ts";
import { startLocal } from "../local/index.ts";
import type { Screen } from "../view/index.ts";
import { playStories } from "./chapters.ts";
import { demoEnvironment } from "./environment.ts";
import { makeRepository, repositoryChanges } from "./repository.ts";
import { summaryTable, type Chapter } from "./summary.ts";

export interface DemoOptions {
  /** the model that plays the first story on CometAPI, or null for recorded responses */
  readonly liveModel: string | null;
  /** kept at the end; null for a temporary one */
  readonly data: string | null;
  readonly environment: Environment;
  readonly out: Screen;
  readonly signal: AbortSignal;
}

const CHECKOUT = fileURLToPath(new URL("../../../../", import.meta.url));
const FIXTURES = path.join(CHECKOUT, "fixtures");

export async function runDemo(options: DemoOptions): Promise<boolean> {
  const folder = mkdtempSync(path.join(tmpdir(), "airlock-demo-"));
  chmodSync(folder, 0o711); // sandboxed commands of a root executor run as another user
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  process.once("exit", remove); // for an end by a second interrupt
  try {
    return await playAll(options, folder);
  } finally {
    process.off("exit", remove);
    remove();
  }
}

async function playAll(options: DemoOptions, folder: string): Promise<boolean> {
  const { out, signal } = options;
  const environment = await demoEnvironment(options.environment, out);
  const repository = path.join(folder, "repository");
  const searchPath = environment["PATH"] ?? "";
  await makeRepository(path.join(FIXTURES, "demo/repository"), repository, searchPath);
  out.print(`made a repository with a failing test: ${repository}`);
  const local = await startLocal({
    data: options.data ?? path.join(folder, "data"),
    gateway: FIXTURES,
    port: null,
    sources: [repository],
    environment: { ...environment, AIRLOCK_POLICIES: makePolicies(folder) },
    folder: CHECKOUT,
    onEvent: (event) => {
      if (event.type === "died") out.print(`${event.name} died (${event.how}); it starts again`);
    },
  });
  try {
    await local.ready(signal, () => undefined);
    out.print(
      "Redis, the replay gateway, streamer, validator and executor are up, each a process of its own",
    );
    const chapters = await playStories({ ...options, local, repository, fixtures: FIXTURES });
    const clean = (await repositoryChanges(repository, searchPath)) === "";
    return conclude(out, chapters, clean);
  } finally {
    await local.stop();
  }
}

/** The profiles of every installation, and the demo's own one that asks a person. */
function makePolicies(folder: string): string {
  const policies = path.join(folder, "policies");
  for (const place of [path.join(CHECKOUT, "config/policies"), path.join(FIXTURES, "demo/policies")]) {
    cpSync(place, policies, { recursive: true });
  }
  return policies;
}

function conclude(out: Screen, chapters: readonly Chapter[], clean: boolean): boolean {
  out.print(summaryTable(out, chapters));
  const missed = chapters.flatMap(({ story, findings }) =>
    findings.flatMap(({ claim, held }) => (held ? [] : [`${story}: ${claim}`])),
  );
  if (!clean) missed.push("the source repository itself is untouched");
  out.print("");
  for (const claim of missed) out.print(out.style("red", `NOT SO: ${claim}`));
  if (missed.length > 0) out.print("the logs of the services lie in DIR/logs of `airlock demo --data DIR`");
  else
    out.print(out.style("green", "everything went as it should; the source repository itself is untouched"));
  return missed.length === 0;
}
