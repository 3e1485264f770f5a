// A running installation in, the demo's chapters out: contract scenarios first, since they unlock the route, then the
// stories, each held against the files of its workspace.
import path from "node:path";
import { CONTRACT_SCENARIOS, type RunSpec } from "@airlock/core/run";
import { openSession } from "../session/index.ts";
import { gatewayModels, playScenario, sameModel, type ScenarioModels } from "../contract/index.ts";
import type { Local } from "../local/index.ts";
import { play, type Stage } from "../play/index.ts";
import { readSpecTemplate } from "../spec/index.ts";
import type { Screen } from "../view/index.ts";
import { contractFindings, liveFindings, type Seen } from "./findings.ts";
import { createPerson } from "./person.ts";
import { STORIES, type Story } from "./stories.ts";
import { findingLines, type Chapter } from "./summary.ts";
import { readOrNull, workspaceView } from "./workspace.ts";

const POLICY = "ci-default";

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
    chapters.push(
      ...(await playContract(cast, stage, { route: "gateway", models: gatewayModels("responses") })),
    );
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
  const contract = await playContract(cast, stage, { route: "cometapi", models: sameModel(model) });
  if (contract.every(({ findings }) => findings.every(({ held }) => held))) {
    const story = { ...STORIES.fixTest, findings: liveFindings };
    return [...contract, await playStory(cast, stage, story)];
  }
  cast.out.print(
    `\nroute cometapi is not verified for ${model}: no tool would run, so its story is not played`,
  );
  return contract;
}

/** Tools run only on a route whose latest reports show that it keeps its family's contract. */
async function playContract(
  { out }: Cast,
  stage: Stage,
  { route, models }: { readonly route: string; readonly models: ScenarioModels },
): Promise<readonly Chapter[]> {
  const chapters: Chapter[] = [];
  for (const scenario of CONTRACT_SCENARIOS) {
    title(out, `contract scenario ${scenario} on route ${route}`);
    const place = { route, model: models[scenario], policy: POLICY };
    const { document, report } = await playScenario(stage, scenario, place);
    const findings = contractFindings(document, report);
    if (report !== null) {
      out.print(`  report: ${report.adapter} on ${report.covers}, signed by the validator, stored`);
    }
    for (const line of findingLines(out, findings)) out.print(line);
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
  const person = createPerson(cast);
  // a question on the terminal and lines that are drawn anew don't go together
  const screen = person.asks ? { ...out, terminal: false } : out;
  const { run, document } = await play(
    { ...stage, out: screen, signal: AbortSignal.any([stage.signal, person.failure]) },
    storySpec(cast, story),
    (event, run) => {
      person.see(event);
      if (event.type !== "attempt_opened" || event.attempt < 2) return;
      priceAtRetry = workspaceView(local.volume, run).price();
    },
  );
  const answers = await person.answers();
  const view = workspaceView(local.volume, run);
  const findings = story.findings({
    document,
    original,
    price: view.price(),
    priceAtRetry,
    workflowExists: view.exists(".github/workflows/ci.yml"),
    testsChanged: view.testsChanged(repository),
    answers,
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
