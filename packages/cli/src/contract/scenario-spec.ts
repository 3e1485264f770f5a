import { parseRunSpec, type ContractScenario, type RunSpec } from "@airlock/core/run";

/** What each scenario asks of a model, in words that hold for every wire family. */
const SCENARIOS = {
  text: {
    instructions: "Answer with one short sentence, and call no tool.",
    input: "Say that you are ready.",
    tools: [],
  },
  tool_call: {
    instructions:
      "Call read_file once, with the path README.md. Whatever comes back, even a refusal, then answer with one " +
      "short sentence, and call nothing more.",
    input: "What is in README.md?",
    tools: ["read_file"],
  },
  // two tools whose arguments fit only their own schema, so that mixed-up calls are not valid
  parallel_calls: {
    instructions:
      "In your first answer, make two tool calls at once: list_files with the path . and the depth 1, and read_file " +
      "with the path README.md. Don't wait for one before you make the other. Whatever comes back, even refusals, " +
      "then answer with one short sentence, and call nothing more.",
    input: "Which files are there, and what is in README.md?",
    tools: ["list_files", "read_file"],
  },
} as const satisfies Record<ContractScenario, Pick<RunSpec, "instructions" | "input"> & { tools: unknown }>;

export interface ScenarioPlace {
  readonly route: string;
  readonly model: string;
  readonly policy: string;
}

export function scenarioSpec(scenario: ContractScenario, place: ScenarioPlace): RunSpec {
  const spec = {
    ...place,
    ...SCENARIOS[scenario],
    contract: scenario,
    // a model that calls one tool after the other still gets to its end
    limits: { turns: 4, attempts: 2, calls: 4, deadlineMs: 120_000 },
  };
  return parseRunSpec(spec, `the contract scenario ${scenario}`);
}

/** The tools that a scenario's model may call. */
export function scenarioTools(scenario: ContractScenario): ReadonlySet<string> {
  return new Set(SCENARIOS[scenario].tools);
}
