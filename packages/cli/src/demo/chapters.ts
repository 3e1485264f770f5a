// A running installation in, the demo's chapters out: contract scenarios first, since they unlock the route, then the
// stories, each held against the files of its workspace.
import path from "node:path";
import type { RunSpec } from "@airlock/core/run";
import { openSession } from "../client/index.ts";
import type { Local } from "../local/index.ts";
import { readSpecTemplate } from "../spec/index.ts";
import type { Screen } from "../view/index.ts";
import { contractSpec, SCENARIO_NAMES, storedReport } from "./contract.ts";
import { contractFindings, liveFindings, type Seen } from "./findings.ts";
import { play, type Stage } from "./play.ts";
import { STORIES, type Story } from "./stories.ts";
import { findingLines, type Chapter } from "./summary.ts";
import { readOrNull, workspaceView } from "./workspace.ts";

const GATEWAY_MODELS = { text: "replay/demo/contract-text", tool_call: "replay/demo/contract-tool" } as const;

export interface Cast {
  readonly out: Screen;
  readonly signal: AbortSignal;
  /** the model that plays the first story on CometAPI, or null for recorded responses */
  readonly liveModel: string | null;
  readonly local: Local;
  /** the folder of fixtures */
  readonly fixtures: string;
  readonly repository: string;
}

/** Plays everything, one run after the other. */
export async function playStories(cast: Cast): Promise<readonly Chapter[]> {
  const { local, out, liveModel } = cast;
  const session = await openSession({ url: local.redisUrl, data: local.paths.data });
  const stage = { session, out, signal: AbortSignal.any([cast.signal, local.failure]) };
  const started = performance.now();
  const chapters: Chapter[] = [];
  try {
    if (liveModel !== null) chapters.push(...(await playLive(cast, stage, liveModel)));
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

async function playLive(cast: Cast, stage: Stage, model: string): Promise<readonly Chapter[]> {
  const contract = await playContract(stage, "cometapi", { text: model, tool_call: model });
  if (contract.every(({ findings }) => findings.every(({ held }) => held))) {
    const story = { ...STORIES.fixTest, findings: liveFindings };
    return [...contract, await playStory(cast, stage, story)];
  }
  stage.out.print(
    `\nroute cometapi is not verified for ${model}: no tool would run, so its story is not played`,
  );
  return contract;
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
    chapters.push({
      story: `contract ${scenario} on ${route}`,
      document,
      findings,
      effect: "no workspace, no tool ran",
    });
  }
  return chapters;
}

async function playStory(cast: Cast, stage: Stage, story: Story): Promise<Chapter> {
  const { local, repository, liveModel, out } = cast;
  title(out, `${story.name}: ${story.title}`);
  const original = readOrNull(path.join(repository, "src/price.js")) ?? "";
  let priceAtRetry: Seen["priceAtRetry"];
  const { run, document } = await play(stage, storySpec(cast, story), (event, run) => {
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
  if (document.artifact !== null)
    out.print(`  artifact: a ${document.artifact.kind} of ${document.artifact.content.length} characters`);
  for (const line of findingLines(out, findings)) out.print(line);
  const name = liveModel === null ? story.name : `${story.name} (${liveModel})`;
  return { story: name, document, findings, effect: story.effect };
}

function storySpec({ fixtures, repository, liveModel }: Cast, story: Story): RunSpec {
  const spec = readSpecTemplate(path.join(fixtures, "demo/specs", `${story.name}.yaml`), repository);
  if (liveModel === null) return spec;
  const limits = { ...spec.limits, turns: 30, calls: 60, deadlineMs: 600_000 };
  return { ...spec, route: "cometapi", model: liveModel, limits };
}

function title(out: Screen, text: string): void {
  out.print(`\n${out.style("bold", text)}`);
}
