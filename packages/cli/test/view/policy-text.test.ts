import { expect, test } from "vitest";
import { policyCheckText } from "../../src/view/index.ts";
import { paper } from "./screen.ts";

const loaded = { rules: 1, examples: 1, policyDigest: "" };

test.each([
  ["a file of the folder by its name there", "/srv/policies/a.yaml", "policies/a.yaml"],
  ["one elsewhere by its whole path", "/tmp/a.yaml", "/tmp/a.yaml"],
  ["one beside the folder by its whole path", "/srv-2/a.yaml", "/srv-2/a.yaml"],
])("the sum of a checked policy names %s, and counts one as one", (_name, file, shown) => {
  const text = policyCheckText(paper(), { file, loaded, problems: [] }, "/srv");
  expect(text).toBe(`ok ${shown}: 1 rule, 1 example, all of them hold`);
});
