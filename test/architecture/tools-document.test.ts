import { loadPolicy } from "@airlock/core/policy";
import { parseRepositories } from "@airlock/core/run";
import { operatorCatalog, readOperatorTool } from "@airlock/core/tool";
import { describe, expect, test } from "vitest";
import { readDocument } from "../../scripts/docs-tables.ts";

/** The block below `<!-- example: name -->`, without the indent of its list. */
function example(name: string, text = readDocument("docs/tools.md")): string {
  const block = new RegExp(`<!-- example: ${name} -->\\n\\n( *)\`\`\`yaml\\n([\\s\\S]*?)\\n\\1\`\`\``).exec(
    text,
  );
  const [, indent = "", lines = ""] = block ?? [];
  return lines.replaceAll(new RegExp(`^${indent}`, "gm"), "");
}

test("docs/workspaces.md shows a repositories file that loads", () => {
  const name = "docs/workspaces.md";
  const repositories = parseRepositories({ name, text: example("repositories", readDocument(name)) });
  expect(repositories("https://git.example.org/team/app")).toMatchObject({ commit: true });
});

describe("docs/tools.md", () => {
  test("shows a tool that loads, and a policy whose rule for it holds", () => {
    const tool = readOperatorTool({ name: "docs/tools.md", text: example("tool") });
    const catalog = operatorCatalog([tool]);
    const policy = loadPolicy({ name: "docs/tools.md", text: example("policy") }, { catalog });
    expect([tool.manifest.name, policy.name]).toEqual(["count_lines", "docs/tools.md"]);
  });
});
