import { loadPolicy } from "@airlock/core/policy";
import { operatorCatalog, readOperatorTool } from "@airlock/core/tool";
import { describe, expect, test } from "vitest";
import { readDocument } from "../../scripts/docs-tables.ts";

const text = readDocument("docs/tools.md");

/** The block below `<!-- example: name -->`, without the indent of its list. */
function example(name: string): string {
  const block = new RegExp(`<!-- example: ${name} -->\\n\\n( *)\`\`\`yaml\\n([\\s\\S]*?)\\n\\1\`\`\``).exec(
    text,
  );
  const [, indent = "", lines = ""] = block ?? [];
  return lines.replaceAll(new RegExp(`^${indent}`, "gm"), "");
}

describe("docs/tools.md", () => {
  test("shows a tool that loads, and a policy whose rule for it holds", () => {
    const tool = readOperatorTool({ name: "docs/tools.md", text: example("tool") });
    const catalog = operatorCatalog([tool]);
    const policy = loadPolicy({ name: "docs/tools.md", text: example("policy") }, { catalog });
    expect([tool.manifest.name, policy.name]).toEqual(["count_lines", "docs/tools.md"]);
  });
});
