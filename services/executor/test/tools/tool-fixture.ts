import { writeFileSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { JsonObject } from "@airlock/core/json";
import { DEFAULT_SANDBOX_LIMITS } from "../../src/sandbox/index.ts";
import { TOOL_BODIES, type Tool, type ToolContext, type ToolOutcome } from "../../src/tools/index.ts";
import { backendFixture, treeFixture, type TreeFixture } from "../workspace/fixture.ts";

/** Plans and runs, as the executor does. */
export async function callTool(tool: Tool, context: ToolContext, args: JsonObject): Promise<ToolOutcome> {
  const signal = AbortSignal.timeout(30_000);
  const plan = await tool.plan(context, args, signal);
  return plan.kind === "outcome" ? plan.outcome : plan.run(signal);
}

export interface ToolFixture extends TreeFixture {
  readonly call: (tool: string, args: JsonObject, change?: Partial<ToolContext>) => Promise<ToolOutcome>;
  readonly snapshot: () => Promise<Readonly<Record<string, string>>>;
}

/** The tools over a tree with these files; `snapshot` is the tree as a whole. */
export async function toolFixture(content: Readonly<Record<string, string>> = {}): Promise<ToolFixture> {
  const fixture = await treeFixture();
  for (const [name, text] of Object.entries(content)) writeFileSync(join(fixture.tree, name), text);
  const backend = await backendFixture(join(fixture.root, "state"));
  const session = await backend.open({ tree: fixture.tree, git: null }, DEFAULT_SANDBOX_LIMITS);
  const context: ToolContext = {
    files: fixture.files,
    session,
    missing: [],
    limits: { timeoutMs: 20_000, outputBytes: 4096 },
    workspace: fixture.workspace,
    source: "/nowhere",
    itemKey: "r.1.1.0",
    name: `call-${fixture.root}`,
    fenceHolds: () => Promise.resolve(true),
  };
  return {
    ...fixture,
    call(tool, args, change = {}) {
      const body = TOOL_BODIES.get(tool);
      if (body === undefined) throw new Error(`no body for ${tool}`);
      return callTool(body, { ...context, ...change }, args);
    },
    async snapshot() {
      const names = await readdir(fixture.tree, { recursive: true });
      const texts = names.toSorted().map(async (name) => {
        const text = await readFile(join(fixture.tree, name), "utf8").catch(() => "(not a file)");
        return [name, text] as const;
      });
      return Object.fromEntries(await Promise.all(texts));
    },
  };
}
