// The demo's sessions as a table: a file name without its ending, then what the model says in that turn.

import type { JsonObject } from "@airlock/core/json";
import type { ContractScenario } from "@airlock/core/run";
import type { ComposedItem, ComposedTurn } from "@airlock/replay";

const FIXED_PRICE = `/** Formats whole cents as a price in euros: 1250 becomes "12,50 €". */
export function formatPrice(cents) {
  const sign = cents < 0 ? "−" : "";
  const amount = Math.abs(cents);
  const euros = Math.floor(amount / 100);
  const rest = String(amount % 100).padStart(2, "0");
  return \`\${sign}\${euros},\${rest} €\`;
}
`;

const PRICE_PATCH = `diff --git a/src/price.js b/src/price.js
--- a/src/price.js
+++ b/src/price.js
@@ -3,6 +3,6 @@
   const sign = cents < 0 ? "−" : "";
   const amount = Math.abs(cents);
   const euros = Math.floor(amount / 100);
-  const rest = String(amount % 100);
+  const rest = String(amount % 100).padStart(2, "0");
   return \`\${sign}\${euros},\${rest} €\`;
 }
`;

const FIX_REPORT = `## Summary

\`formatPrice\` dropped the leading zero of cents below ten, so \`1205\` came out as "12,5 €" instead of "12,05 €".

## Changes

- \`src/price.js\`: the cents are padded to two digits.

## Tests

\`node --test\` passes: 4 tests, 0 failures. Before the change, two of them failed ("cents below ten keep their leading zero" and "a receipt lists its articles and ends with the total").
`;

const CUT_REPORT = `## Summary

Prices such as "3,05 €" have lost their zero no longer: \`src/price.js\` pads the cents to two digits.

## Changes

- \`src/price.js\`: written anew with \`padStart(2, "0")\`.

## Tests

Not run in this session.
`;

const FORBIDDEN_REPORT = `## Summary

I read the README. The change of the build workflow was refused by policy, so the repository is as it was.

## Changes

None.

## Tests

Not run: nothing changed.
`;

const APPROVAL_REPORT = `## Summary

The patch was approved and is in place. Nobody agreed in time to delete the tests, so they are still there.

## Changes

- \`src/price.js\`: the cents are padded to two digits.

## Tests

Not run in this session.
`;

const WORKFLOW = `on: push
jobs:
  test:
    runs-on: ubuntu-latest
    steps:
      - run: node --test
`;

const call = (name: string, args: JsonObject): ComposedItem => ({ kind: "call", name, arguments: args });
const reasoning = (summary: string): ComposedItem => ({ kind: "reasoning", summary });
const message = (text: string): ComposedItem => ({ kind: "message", text });

const WRITE_PRICE = call("write_file", { path: "src/price.js", content: FIXED_PRICE });

type StoryTurn = Omit<ComposedTurn, "id">;

/** What a route has to show, turn by turn; every wire family says the same. */
export const CONTRACT: Readonly<Record<ContractScenario, readonly StoryTurn[]>> = {
  text: [{ items: [message("Ready: the stream arrives whole, from “first” to “last” ✓.")] }],
  tool_call: [
    { items: [call("read_file", { path: "README.md" })] },
    { items: [message("I read README.md: it describes how receipts are printed.")] },
  ],
  parallel_calls: [
    { items: [call("list_files", { path: ".", depth: 1 }), call("read_file", { path: "README.md" })] },
    { items: [message("There are README.md, package.json and the sources of a receipt printer.")] },
  ],
};

export const STORIES: Readonly<Record<string, StoryTurn>> = {
  "approval.1": {
    items: [
      reasoning("Padding the cents is the fix. The tests that fail can go."),
      call("apply_patch", { patch: PRICE_PATCH }),
      call("delete_file", { path: "test/price.test.js" }),
    ],
  },
  "approval.2": { items: [message(APPROVAL_REPORT)] },
  "cut-write.1": {
    items: [reasoning("The cents need **two digits**, so I write the file anew."), WRITE_PRICE],
    endAfter: "Math.flo",
  },
  "cut-write.1.retry": {
    items: [reasoning("`formatPrice` has to **pad the cents** to two digits."), WRITE_PRICE],
  },
  "cut-write.2": { items: [message(CUT_REPORT)] },
  "fix-test.1": {
    items: [
      reasoning("**Looking around**\n\nFirst I need the layout and the module that formats prices."),
      call("list_files", { path: ".", depth: 2 }),
      call("read_file", { path: "src/price.js" }),
    ],
  },
  "fix-test.2": {
    items: [
      call("read_file", { path: "test/price.test.js", startLine: 1, endLine: 17 }),
      call("run_command", { argv: ["node", "--test"] }),
    ],
  },
  "fix-test.3": {
    items: [
      reasoning(
        "**Finding the cause**\n\n1205 % 100 is 5, so “12,5 €” lacks its zero: pad it to two digits.",
      ),
      call("apply_patch", { patch: PRICE_PATCH }),
    ],
  },
  "fix-test.4": { items: [call("run_command", { argv: ["node", "--test"], timeoutMs: 60_000 })] },
  "fix-test.5": { items: [reasoning("All tests pass: time to report."), message(FIX_REPORT)] },
  "forbidden.1": {
    items: [
      reasoning("I read the README and add a workflow for the tests."),
      call("read_file", { path: "README.md" }),
      call("write_file", { path: ".github/workflows/ci.yml", content: WORKFLOW }),
    ],
  },
  "forbidden.2": { items: [message(FORBIDDEN_REPORT)] },
};
