import type { CallHash } from "@airlock/core/run";
import { BUILTIN_CATALOG, createCatalog, manifestDigest } from "@airlock/core/tool";
import { expect, test } from "vitest";
import type { Step } from "../../src/outcome/next-step.ts";
import { executorDrift, stepWithTools, toolDrift } from "../../src/outcome/tool-drift.ts";

const manifest = BUILTIN_CATALOG.get("read_file");
if (manifest === undefined) throw new Error("no read_file");

const plan = { tools: [{ name: "read_file", digest: manifestDigest(manifest), effect: "read" as const }] };
const changed = createCatalog([{ ...manifest, description: "Another tool." }]);
const without = createCatalog([]);

function ended(what: string) {
  return {
    kind: "end",
    state: "failed",
    errorClass: "TOOL_DRIFT",
    detail: `${what}; give every service the same tools (AIRLOCK_TOOLS) and submit the run again`,
  };
}

test("the pinned tools are no drift; a changed one is, and one that is gone", () => {
  expect(toolDrift(BUILTIN_CATALOG, plan)).toBeNull();
  expect(toolDrift(changed, plan)).toEqual(ended("the tool read_file changed since the run was admitted"));
  expect(toolDrift(without, plan)).toEqual(ended("the tool read_file is gone since the run was admitted"));
});

test("one call that an executor refused for its manifest is drift", () => {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the fields that the finding depends on
  const call = (errorClass: string | undefined) => ({ tool: "count", errorClass }) as CallHash;
  expect(executorDrift([call(undefined), call("TOOL_FAILED"), null])).toBeNull();
  expect(executorDrift([call(undefined), call("TOOL_DRIFT")])).toEqual(
    ended("an executor has another manifest of the tool count than the run pinned"),
  );
});

const RETRY: Step = { kind: "retry", maxOutputTokens: null, reason: "HTTP_ERROR" };
const DENIED: Step = { kind: "end", state: "policy_stopped", errorClass: "PROVIDER_POLICY_STOP" };

test.each<Step>([{ kind: "unlock" }, { kind: "continue" }, { kind: "stitch" }, RETRY])(
  "drift takes the place of the step %j",
  (step) => {
    expect(stepWithTools(step, BUILTIN_CATALOG, plan)).toEqual(step);
    expect(stepWithTools(step, changed, plan)).toEqual(toolDrift(changed, plan));
  },
);

test("an output that is complete is judged, and an ending stays what it is; a streamer's gets its words", () => {
  expect(stepWithTools({ kind: "judge_artifact" }, changed, plan)).toEqual({ kind: "judge_artifact" });
  expect(stepWithTools(DENIED, changed, plan)).toEqual(DENIED);
  const streamers: Step = { kind: "end", state: "failed", errorClass: "TOOL_DRIFT" };
  expect(stepWithTools(streamers, BUILTIN_CATALOG, plan)).toEqual(
    ended("the streamer has another manifest of a tool than the run pinned"),
  );
});
