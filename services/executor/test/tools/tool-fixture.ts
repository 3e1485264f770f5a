import { mkdirSync, writeFileSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { JsonObject } from "@airlock/core/json";
import { DEFAULT_SANDBOX_LIMITS, type SandboxSession } from "../../src/sandbox/index.ts";
import {
  gitTools,
  TOOL_BODIES,
  type ProbeFinding,
  type ReadyPlan,
  type Tool,
  type ToolContext,
  type ToolOutcome,
} from "../../src/tools/index.ts";
import { backendFixture, treeFixture, type TreeFixture } from "../workspace/fixture.ts";

/** Plans and runs, as the executor does. */
export async function callTool(tool: Tool, context: ToolContext, args: JsonObject): Promise<ToolOutcome> {
  const signal = AbortSignal.timeout(30_000);
  const plan = await tool.plan(context, args, signal);
  return plan.kind === "outcome" ? plan.outcome : plan.run(signal);
}

/** Every tool of the executor; nothing can be pushed. */
export const ALL_TOOLS: ReadonlyMap<string, Tool> = new Map([
  ...TOOL_BODIES,
  ...gitTools({ commitAuthor: "Bot <bot@example.org>", push: [], pushCredentials: "" }),
]);

function toolNamed(name: string): Tool {
  const tool = ALL_TOOLS.get(name);
  if (tool === undefined) throw new Error(`no tool ${name}`);
  return tool;
}

export interface Calls {
  readonly context: ToolContext;
  readonly call: (tool: string, args: JsonObject, change?: Partial<ToolContext>) => Promise<ToolOutcome>;
  /** What the call would do, not done. */
  readonly plan: (tool: string, args: JsonObject) => Promise<ReadyPlan>;
  readonly probe: (tool: string, plan: ReadyPlan) => Promise<ProbeFinding | null>;
  readonly snapshot: () => Promise<Readonly<Record<string, string>>>;
}

export type ToolFixture = TreeFixture & Calls;

/** The tools over a tree with these files; `snapshot` is the tree as a whole. */
export async function toolFixture(content: Readonly<Record<string, string>> = {}): Promise<ToolFixture> {
  const fixture = await treeFixture();
  for (const [name, text] of Object.entries(content)) {
    mkdirSync(dirname(join(fixture.tree, name)), { recursive: true });
    writeFileSync(join(fixture.tree, name), text);
  }
  const backend = await backendFixture(join(fixture.root, "state"));
  const session = await backend.open({ tree: fixture.tree, git: null }, DEFAULT_SANDBOX_LIMITS);
  return { ...fixture, ...callsOver({ ...fixture, session }) };
}

interface Place extends Pick<TreeFixture, "root" | "files" | "workspace"> {
  readonly session: SandboxSession;
}

export function callsOver({ root, files, workspace, session }: Place): Calls {
  const context: ToolContext = {
    files,
    session,
    workspace,
    missing: [],
    limits: { timeoutMs: 20_000, outputBytes: 4096 },
    source: "/nowhere",
    may: () => true,
    itemKey: "r00000000000000000000.1.1.0",
    name: `call-${root}`,
    fenceHolds: () => Promise.resolve(true),
  };
  const signal = AbortSignal.timeout(60_000);
  return {
    context,
    call: (tool: string, args: JsonObject, change: Partial<ToolContext> = {}) =>
      callTool(toolNamed(tool), { ...context, ...change }, args),
    async plan(tool: string, args: JsonObject) {
      const plan = await toolNamed(tool).plan(context, args, signal);
      if (plan.kind === "outcome") throw new Error(JSON.stringify(plan.outcome));
      return plan;
    },
    async probe(tool: string, { expected }: ReadyPlan) {
      const { probe } = toolNamed(tool);
      if (probe === null || expected === null) return null;
      // As a ledger keeps it: as text.
      const kept: JsonObject = JSON.parse(JSON.stringify(expected));
      return probe(context, kept, signal);
    },
    async snapshot() {
      const names = await readdir(workspace.tree, { recursive: true });
      const texts = names.toSorted().map(async (name) => {
        const text = await readFile(join(workspace.tree, name), "utf8").catch(() => "(not a file)");
        return [name, text] as const;
      });
      return Object.fromEntries(await Promise.all(texts));
    },
  };
}
