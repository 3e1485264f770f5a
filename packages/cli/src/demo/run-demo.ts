// Nothing but this checkout in, the demo's stories played on real parts out: contract scenarios, then the stories,
// each checked against the files themselves. False where an expectation did not hold.
import { mkdtempSync, rmSync, chmodSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { RunSpec } from "@airlock/core/run";
import { openSession } from "../client/index.ts";
import type { Environment } from "../config.ts";
import { startLocal, type Local } from "../local/index.ts";
import { readSpecTemplate } from "../spec/index.ts";
import type { Screen } from "../view/index.ts";
import { contractSpec, SCENARIO_NAMES, storedReport } from "./contract.ts";
import { contractFindings, liveFindings, type Seen } from "./findings.ts";
import { play, type Stage } from "./play.ts";
import { makeRepository, repositoryChanges } from "./repository.ts";
import { STORIES, type Story } from "./stories.ts";
import { findingLines, summaryTable, type Chapter } from "./summary.ts";
import { readOrNull, workspaceView } from "./workspace.ts";

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
const GATEWAY_MODELS = { text: "replay/demo/contract-text", tool_call: "replay/demo/contract-tool" } as const;

/** Settings of this machine that hold for the demo as well; all others are the demo's own. */
const KEPT_SETTINGS = ["AIRLOCK_BWRAP", "AIRLOCK_TOOLCHAINS", "AIRLOCK_SERVICE_USER", "AIRLOCK_DURABILITY", "AIRLOCK_LOG_LEVEL"];

export async function runDemo(options: DemoOptions): Promise<boolean> {
  const folder = mkdtempSync(path.join(tmpdir(), "airlock-demo-"));
  chmodSync(folder, 0o711); // sandboxed commands of a root executor run as another user
  try {
    return await playAll(options, folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function playAll(options: DemoOptions, folder: string): Promise<boolean> {
  const { out, signal } = options;
  const environment = demoEnvironment(options.environment);
  const repository = path.join(folder, "repository");
  const searchPath = environment["PATH"] ?? "";
  await makeRepository(path.join(FIXTURES, "demo/repository"), repository, searchPath);
  out.print(`made a repository with a failing test: ${repository}`);
  const local = await startLocal({
    data: options.data ?? path.join(folder, "data"),
    gateway: FIXTURES,
    port: null,
    sources: [repository],
    environment,
    folder: CHECKOUT,
    onEvent: (event) => {
      if (event.type === "died") out.print(`${event.name} died (${event.how}); it starts again`);
    },
  });
  try {
    await local.ready(signal, () => undefined);
    out.print("Redis, the replay gateway, streamer, validator and executor are up, each a process of its own");
    const chapters = await playStories({ ...options, local, repository });
    const clean = (await repositoryChanges(repository, searchPath)) === "";
    return conclude(out, chapters, clean);
  } finally {
    await local.stop();
  }
}

interface Cast extends DemoOptions {
  readonly local: Local;
  readonly repository: string;
}

async function playStories(cast: Cast): Promise<readonly Chapter[]> {
  const { local, out, liveModel } = cast;
  const session = await openSession({ url: local.redisUrl, data: local.paths.data });
  const stage = { session, out, signal: AbortSignal.any([cast.signal, local.failure]) };
  const started = performance.now();
  const chapters: Chapter[] = [];
  try {
    if (liveModel !== null) {
      const models = { text: liveModel, tool_call: liveModel };
      chapters.push(...(await playContract(stage, "cometapi", models)));
      chapters.push(await playStory(cast, stage, { ...STORIES.fixTest, findings: liveFindings }));
    }
    chapters.push(...(await playContract(stage, "gateway", GATEWAY_MODELS)));
    const { fixTest, ...others } = STORIES;
    for (const story of liveModel === null ? [fixTest, ...Object.values(others)] : Object.values(others)) {
      chapters.push(await playStory({ ...cast, liveModel: null }, stage, story));
    }
  } finally {
    session.close();
  }
  const seconds = ((performance.now() - started) / 1_000).toFixed(1);
  out.print(`\nall runs took ${seconds} s\n`);
  return chapters;
}

/** Tools run only on a route whose latest reports show that it keeps its family's contract. */
async function playContract(
  stage: Stage,
  route: string,
  models: Readonly<Record<(typeof SCENARIO_NAMES)[number], string>>,
): Promise<readonly Chapter[]> {
  const chapters: Chapter[] = [];
  for (const scenario of SCENARIO_NAMES) {
    title(stage.out, `contract scenario ${scenario} on route ${route}`);
    const { run, document } = await play(stage, contractSpec(scenario, { route, model: models[scenario] }));
    const report = await storedReport(stage.session, route, run);
    const findings = contractFindings(document, report?.passed === true);
    if (report !== null) {
      stage.out.print(`  report: ${report.adapter} on ${report.covers}, signed by the validator, stored`);
    }
    for (const line of findingLines(stage.out, findings)) stage.out.print(line);
    chapters.push({ story: `contract ${scenario}`, document, findings, effect: "no workspace, no tool ran" });
  }
  return chapters;
}

async function playStory(cast: Cast, stage: Stage, story: Story): Promise<Chapter> {
  const { local, repository, liveModel, out } = cast;
  title(out, `${story.name}: ${story.title}`);
  const original = readOrNull(path.join(repository, "src/price.js")) ?? "";
  let priceAtRetry: Seen["priceAtRetry"];
  const { run, document } = await play(stage, storySpec(story, repository, liveModel), (event, run) => {
    if (event.type !== "attempt_opened" || event.attempt < 2) return;
    priceAtRetry = workspaceView(local.volume, run).price();
  });
  const view = workspaceView(local.volume, run);
  const findings = story.findings({
    document,
    original,
    price: view.price(),
    priceAtRetry,
    workflowExists: view.exists(".github/workflows/ci.yml"),
    testsChanged: view.testsChanged(repository),
  });
  if (document.artifact !== null) out.print(`  artifact: a ${document.artifact.kind} of ${document.artifact.content.length} characters`);
  for (const line of findingLines(out, findings)) out.print(line);
  const name = liveModel === null ? story.name : `${story.name} (${liveModel})`;
  return { story: name, document, findings, effect: story.effect };
}

function storySpec(story: Story, repository: string, liveModel: string | null): RunSpec {
  const spec = readSpecTemplate(path.join(FIXTURES, "demo/specs", `${story.name}.yaml`), repository);
  if (liveModel === null) return spec;
  const limits = { ...spec.limits, turns: 30, calls: 60, deadlineMs: 600_000 };
  return { ...spec, route: "cometapi", model: liveModel, limits };
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
  else out.print(out.style("green", "everything went as it should; the source repository itself is untouched"));
  return missed.length === 0;
}

function title(out: Screen, text: string): void {
  out.print(`\n${out.style("bold", text)}`);
}

function demoEnvironment(environment: Environment): Environment {
  const kept = Object.entries(environment).filter(
    ([name]) => !name.startsWith("AIRLOCK_") || KEPT_SETTINGS.includes(name),
  );
  return Object.fromEntries(kept);
}
