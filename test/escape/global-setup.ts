import type { TestProject } from "vitest/node";
import { REQUIRED_GUARANTEES } from "../../services/executor/src/sandbox/guarantees.ts";
import { startRealExecutor, type ExecutorPlace } from "../support/real-executor.ts";

declare module "vitest" {
  interface ProvidedContext {
    executor: ExecutorPlace;
  }
}

/** One real executor for all files. A machine without a sandbox fails here: a suite that is skipped shows nothing. */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const executor = await startRealExecutor();
  const missing = REQUIRED_GUARANTEES.command.filter((guarantee) => !executor.held().includes(guarantee));
  if (missing.length > 0) {
    await executor.close();
    throw new Error(`the sandbox doesn't hold ${missing.join(", ")} here, so nothing could be shown`);
  }
  project.provide("executor", executor.place);
  return () => executor.close();
}
