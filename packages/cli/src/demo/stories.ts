import {
  approvalFindings,
  cutWriteFindings,
  fixTestFindings,
  forbiddenFindings,
  type Finding,
  type Seen,
} from "./findings.ts";

export interface Story {
  /** names the spec in fixtures/demo/specs */
  readonly name: string;
  readonly title: string;
  /** what the findings looked at in the workspace's files, in few words */
  readonly effect: string;
  readonly findings: (seen: Seen) => readonly Finding[];
}

/** The demo's stories, in their order. */
export const STORIES = {
  fixTest: {
    name: "fix-test",
    title: "an agent finds out why a test fails, patches the code, and runs the tests in the sandbox",
    effect: "src/price.js fixed, tests untouched",
    findings: fixTestFindings,
  },
  cutWrite: {
    name: "cut-write",
    title: "a response is cut in the middle of a write_file call; a fresh attempt does the work",
    effect: "untouched after the cut, then written once",
    findings: cutWriteFindings,
  },
  forbidden: {
    name: "forbidden",
    title: "an agent reads a file, which policy allows, and writes a build workflow, which it forbids",
    effect: "no workflow, nothing changed",
    findings: forbiddenFindings,
  },
  approval: {
    name: "approval",
    title:
      "an agent patches the code and deletes a test; both wait for a person, who answers one of them too late",
    effect: "patched once approved, the test is still there",
    findings: approvalFindings,
  },
} as const satisfies Record<string, Story>;
