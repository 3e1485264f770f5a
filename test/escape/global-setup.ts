import type { TestProject } from "vitest/node";
import { REQUIRED_GUARANTEES } from "../../services/executor/src/sandbox/guarantees.ts";
import { startRealExecutor, type ExecutorPlace, type RealExecutor } from "../support/real-executor.ts";

declare module "vitest" {
  interface ProvidedContext {
    executor: ExecutorPlace;
  }
}

let executor: RealExecutor | null = null;

/** One real executor for all files. A machine without a sandbox fails here: a suite that is skipped shows nothing. */
export async function setup(project: TestProject): Promise<void> {
  const started = await startRealExecutor();
  executor = started;
  const missing = REQUIRED_GUARANTEES.command.filter((guarantee) => !started.held().includes(guarantee));
  if (missing.length > 0) {
    await started.close();
    throw new Error(`the sandbox doesn't hold ${missing.join(", ")} here, so nothing could be shown`);
  }
  project.provide("executor", started.place);
}

export async function teardown(): Promise<void> {
  await executor?.close();
}
